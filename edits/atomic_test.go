//go:build unix

package edits_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"lspbridge/edits"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.json")
	for _, tt := range []struct {
		data string
		mode os.FileMode
	}{
		{"new", 0o600},
		{"another, longer", 0o600},
		{"", 0o600},
		{"wider", 0o666}, // past the umask
		{"narrower again", 0o400},
	} {
		if err := edits.WriteFile(path, []byte(tt.data), tt.mode); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != tt.data {
			t.Errorf("file holds %q, %v, want %q", got, err, tt.data)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode() != tt.mode {
			t.Errorf("mode %v, %v, want %v", info.Mode(), err, tt.mode)
		}
	}
	wantOnly(t, dir, "state.json")
}

func TestWriteFileRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("target"), []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dest := range map[string]string{"link": "target", "dead": "nothing"} {
		if err := os.Symlink(dest, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(at("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "dead", "folder", "fifo", "missing/state.json", "target/state.json"} {
		before, _ := os.Lstat(at(name))
		if err := edits.WriteFile(at(name), []byte("x"), 0o600); err == nil {
			t.Errorf("WriteFile(%s) is accepted", name)
		}
		if after, _ := os.Lstat(at(name)); before != nil && !os.SameFile(before, after) {
			t.Errorf("WriteFile(%s) failed and replaced the file", name)
		}
	}
	if got, err := os.ReadFile(at("target")); err != nil || string(got) != "kept" {
		t.Errorf("the link's target holds %q, %v", got, err)
	}
	wantOnly(t, dir, "dead", "fifo", "folder", "link", "target")
}

// A reader sees one of the texts that were written, never a mixture, and never
// no file.
func TestWriteFileIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	text := func(b byte) []byte { return bytes.Repeat([]byte{b}, 64<<10) }
	if err := edits.WriteFile(path, text('a'), 0o600); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for b := range byte(2) {
		writers.Go(func() {
			for range 50 {
				if err := edits.WriteFile(path, text('a'+b), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		got, err := os.ReadFile(path)
		if err != nil || len(got) != 64<<10 || !bytes.Equal(got, text(got[0])) {
			t.Fatalf("a reader saw %d bytes of a mixture, or none: %v", len(got), err)
		}
	}
	wantOnly(t, dir, "state")
}

func wantOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(names) {
		t.Errorf("the folder holds %v, want %v alone", entries, names)
	}
}
