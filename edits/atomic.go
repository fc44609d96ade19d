package edits

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// WriteFile replaces the file at path with data, or makes it, with exactly the
// permission bits of mode whatever the umask. A reader, and a machine that
// stops at any moment, finds the old file or the new one and nothing between.
//
// It is for the files that the bridge owns, such as its state; ownership and
// attributes of an old file are not kept. The folder must exist. A path that
// is a symbolic link, or anything but a regular file, is refused.
func WriteFile(path string, data []byte, mode fs.FileMode) error {
	// One handle on the folder, so that all steps happen in the same one.
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer dir.Close()
	if err := replace(dir, filepath.Base(path), data, mode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func replace(dir *os.Root, name string, data []byte, mode fs.FileMode) error {
	switch info, err := dir.Lstat(name); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return errors.New("it is a symbolic link, which is not replaced")
	case err == nil && !info.Mode().IsRegular():
		return errors.New("it is not a regular file, which is not replaced")
	}
	// The name is random, so that no leftover and no planted file is met.
	temp := "." + name + "." + rand.Text()[:12] + ".tmp"
	if err := create(dir, temp, data, mode); err != nil {
		return err
	}
	if err := dir.Rename(temp, name); err != nil {
		return errors.Join(err, dir.Remove(temp))
	}
	return syncFolder(dir)
}

// create makes a new file, wholly written and on disk, or none.
func create(dir *os.Root, name string, data []byte, mode fs.FileMode) (err error) {
	// Nobody else may read or write it before its mode is set.
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			err = errors.Join(err, dir.Remove(name))
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Chmod(mode.Perm()); err != nil {
		return err
	}
	return f.Sync()
}

// syncFolder puts the new name on disk. Windows has no such thing and does not
// let a folder be synced.
func syncFolder(dir *os.Root) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
