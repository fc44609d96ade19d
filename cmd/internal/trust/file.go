package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxBytes bounds the file, at some hundred bytes a record.
const maxBytes = 4 << 20

const version = 1

type document struct {
	Version int      `json:"version"`
	Folders []Record `json:"folders"`
}

// load reads the records of a list, none from a file that does not exist. A
// list that somebody else may have written, or that is not understood, is an
// error: to take it for empty would be to overwrite it at the next change.
func load(path string) ([]Record, error) {
	f, err := openOwn(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the list of trusted folders is not used: %w", err)
	}
	defer f.Close() // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the list of trusted folders: %w", err)
	}
	records, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("the list of trusted folders %s is damaged (%w); look at it, move it away, and trust your workspaces again", path, err)
	}
	return records, nil
}

func decode(data []byte) ([]Record, error) {
	if len(data) > maxBytes {
		return nil, fmt.Errorf("over %d bytes", maxBytes)
	}
	var doc document
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("no list: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text follows the list")
	}
	if doc.Version != version {
		return nil, fmt.Errorf("version %d, not %d", doc.Version, version)
	}
	seen := make(map[string]bool)
	for _, r := range doc.Folders {
		switch {
		case !filepath.IsAbs(r.Path) || filepath.Clean(r.Path) != r.Path:
			return nil, fmt.Errorf("%q is no canonical path", r.Path)
		case seen[r.Path]:
			return nil, fmt.Errorf("%q stands there twice", r.Path)
		}
		seen[r.Path] = true
	}
	return doc.Folders, nil
}

func encode(records []Record) ([]byte, error) {
	if records == nil {
		records = []Record{}
	}
	data, err := json.MarshalIndent(document{version, records}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the list of trusted folders: %w", err)
	}
	if len(data) >= maxBytes {
		return nil, errors.New("too many folders are trusted; withdraw the trust in some first")
	}
	return append(data, '\n'), nil
}

// openOwn opens a file that only this user can have written. What it checks is
// the opened file, not the name.
func openOwn(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err == nil {
		err = own(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkFolder refuses a folder in which somebody else could put a file.
func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("the folder of the list of trusted folders: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("the list of trusted folders is not used: %s is not a folder", dir)
	}
	if err := own(dir, info); err != nil {
		return fmt.Errorf("the list of trusted folders is not used: %w", err)
	}
	return nil
}
