package servers

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	// databaseName is what a compile database is called.
	databaseName = "compile_commands.json"
	// databaseBytes is the largest compile database that is read.
	databaseBytes = 64 << 20
	// mergedBytes is the largest merged database.
	mergedBytes = 256 << 20
)

// A DatabaseError says what is wrong with one compile database.
type DatabaseError struct {
	Path string // absolute, for a caller that shows it by its answer path
	Err  error
}

// Error names the database by its last folder.
func (e *DatabaseError) Error() string {
	return filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(e.Path)), filepath.Base(e.Path))) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *DatabaseError) Unwrap() error { return e.Err }

// CompileDatabase keeps a private folder with one merged compile_commands.json
// for the roots, so that clangd keeps its index there and writes nothing into
// the workspace.
//
// It merges the databases found (absolute paths) into dir and returns the
// translation units they name (absolute, each once, in their order) and whether
// the merged file changed. Entries are passed on as they are, but a relative
// "directory" is resolved against the folder of its database. An entry that
// stands there twice is kept once; of different commands for one file all are
// kept, and clangd takes the first, so the order of found counts. With nothing
// found there is no merged file, and clangd is to be started without
// --compile-commands-dir: a folder without a database hides a compile_flags.txt.
//
// A broken database or entry is left out and reported: err joins a
// *[DatabaseError] for each database, and the rest is merged all the same. Any
// other error means that nothing was written.
func CompileDatabase(dir string, found []string) (units []string, changed bool, err error) {
	m := merger{entries: map[[sha256.Size]byte]bool{}, units: map[string]bool{}}
	var broken []error
	for _, path := range found {
		err := m.add(path)
		if err != nil {
			broken = append(broken, &DatabaseError{Path: path, Err: err})
		}
	}
	target := filepath.Join(dir, databaseName)
	if len(m.order) == 0 {
		err := os.Remove(target)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, false, fmt.Errorf("private compile database: %w", err)
		}
		return nil, err == nil, errors.Join(broken...)
	}
	err = os.MkdirAll(dir, 0o700)
	if err != nil {
		return nil, false, fmt.Errorf("private compile database: %w", err)
	}
	merged := m.bytes()
	if old, err := readRegular(target, mergedBytes); err == nil && bytes.Equal(old, merged) {
		return m.order, false, errors.Join(broken...)
	}
	err = replaceFile(target, merged)
	if err != nil {
		return nil, false, fmt.Errorf("private compile database: %w", err)
	}
	return m.order, true, errors.Join(broken...)
}

// A merger collects the entries of compile databases.
type merger struct {
	files   []fs.FileInfo // databases taken: one can have many names
	out     bytes.Buffer  // entries, with a comma and a line end between them
	entries map[[sha256.Size]byte]bool
	order   []string // translation units
	units   map[string]bool
}

func (m *merger) add(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return withoutPath(err)
	}
	if contains(m.files, info) {
		return nil
	}
	m.files = append(m.files, info)
	data, err := readRegular(path, databaseBytes)
	if err != nil {
		return err
	}
	var entries []json.RawMessage
	err = json.Unmarshal(data, &entries)
	if err != nil {
		return fmt.Errorf("is no compile database: %w", err)
	}
	var broken []error
	for i, raw := range entries {
		err := m.addEntry(filepath.Dir(path), raw)
		if err != nil {
			broken = append(broken, fmt.Errorf("entry %d: %w", i+1, err))
		}
	}
	if n := len(broken); n > 1 {
		return fmt.Errorf("%w, and %d more like it", broken[0], n-1)
	}
	return errors.Join(broken...)
}

func (m *merger) addEntry(base string, raw json.RawMessage) error {
	var e struct {
		Directory, File string
		Command         string
		Arguments       []string
	}
	err := json.Unmarshal(raw, &e)
	switch {
	case err != nil:
		return errors.New("is no object with directory, file, and command or arguments")
	case e.File == "" || e.Directory == "":
		return errors.New("has no file or no directory")
	case e.Command == "" && len(e.Arguments) == 0:
		return errors.New("has neither command nor arguments")
	}
	if !filepath.IsAbs(e.Directory) {
		e.Directory = filepath.Join(base, e.Directory)
		directory, err := json.Marshal(e.Directory)
		if err != nil {
			return err
		}
		raw, err = setAt(raw, []string{"directory"}, directory)
		if err != nil {
			return err
		}
	}
	var compact bytes.Buffer
	err = json.Compact(&compact, raw)
	if err != nil {
		return err
	}
	same, err := json.Marshal(e) // what counts, in one order
	if err != nil {
		return err
	}
	sum := sha256.Sum256(same)
	if m.entries[sum] {
		return nil
	}
	if m.out.Len()+compact.Len() > mergedBytes {
		return fmt.Errorf("the merged database would be over %d bytes", mergedBytes)
	}
	m.entries[sum] = true
	if m.out.Len() > 0 {
		m.out.WriteString(",\n")
	}
	m.out.Write(compact.Bytes())
	unit := e.File
	if !filepath.IsAbs(unit) {
		unit = filepath.Join(e.Directory, unit)
	}
	unit = filepath.Clean(unit)
	if !m.units[unit] {
		m.units[unit] = true
		m.order = append(m.order, unit)
	}
	return nil
}

func (m *merger) bytes() []byte {
	return append(append([]byte("[\n"), m.out.Bytes()...), "\n]\n"...)
}
