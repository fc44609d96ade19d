package lsptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// writerEnv makes a test binary a process that changes files as it is told.
const writerEnv = "LSPTEST_WRITER"

// A Writer changes files from another process than the test's, as editors and
// build tools do. Each method returns when the change is made; one that fails
// ends the test.
type Writer struct {
	t    testing.TB
	to   *json.Encoder
	from *json.Decoder
}

// writing is one change; Path and To are absolute.
type writing struct {
	Do       string
	Path, To string    `json:",omitempty"`
	Text     []byte    `json:",omitempty"`
	Time     time.Time `json:",omitzero"`
}

// NewWriter starts the process, which ends with the test. The test binary must
// call [Main].
func NewWriter(t testing.TB) *Writer {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"=1")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // its end
		if err := cmd.Wait(); err != nil {
			t.Errorf("the process that changes files: %v", err)
		}
	})
	return &Writer{t, json.NewEncoder(stdin), json.NewDecoder(stdout)}
}

func (w *Writer) do(c writing) {
	w.t.Helper()
	var said string
	if err := errors.Join(w.to.Encode(c), w.from.Decode(&said)); err != nil {
		w.t.Fatal(err)
	}
	if said != "" {
		w.t.Fatal(said)
	}
}

// Write replaces the text of a file, or makes it and the folders above it.
func (w *Writer) Write(path, text string) {
	w.t.Helper()
	w.do(writing{Do: "write", Path: path, Text: []byte(text)})
}

// Rename moves a file or a folder, over another file if there is one.
func (w *Writer) Rename(from, to string) {
	w.t.Helper()
	w.do(writing{Do: "rename", Path: from, To: to})
}

// Remove removes a file, or a folder with all that is in it.
func (w *Writer) Remove(path string) {
	w.t.Helper()
	w.do(writing{Do: "remove", Path: path})
}

// Link makes a symbolic link at path that leads to the name to.
func (w *Writer) Link(to, path string) {
	w.t.Helper()
	w.do(writing{Do: "link", Path: path, To: to})
}

// Touch sets the modification time of a file.
func (w *Writer) Touch(path string, to time.Time) {
	w.t.Helper()
	w.do(writing{Do: "touch", Path: path, Time: to})
}

// runWriter plays the process, when this one was started as it; then it does not
// return.
func runWriter() {
	if os.Getenv(writerEnv) == "" {
		return
	}
	from, to := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var c writing
		if from.Decode(&c) != nil {
			os.Exit(0)
		}
		said := ""
		if err := c.make(); err != nil {
			said = err.Error()
		}
		if to.Encode(said) != nil {
			os.Exit(1)
		}
	}
}

func (c writing) make() error {
	switch c.Do {
	case "write":
		if err := os.MkdirAll(filepath.Dir(c.Path), 0o777); err != nil {
			return err
		}
		return os.WriteFile(c.Path, c.Text, 0o666)
	case "rename":
		return os.Rename(c.Path, c.To)
	case "remove":
		if _, err := os.Lstat(c.Path); err != nil {
			return err
		}
		return os.RemoveAll(c.Path)
	case "link":
		return os.Symlink(c.To, c.Path)
	case "touch":
		return os.Chtimes(c.Path, c.Time, c.Time)
	}
	return fmt.Errorf("no change is called %q", c.Do)
}
