package confine

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Stat describes the file f without following a link out of the root. The
// error is an [*Error].
func (w *Workspace) Stat(f File) (os.FileInfo, error) {
	var info os.FileInfo
	err := w.within(f, func(root *os.Root, rel string) (err error) {
		info, err = root.Stat(rel)
		return err
	})
	if err != nil {
		return nil, err
	}
	return info, nil
}

// Read reads the regular file f, at most max bytes. The stamp is of the opened
// file and equals the text only if the file did not change while it was read,
// which Read checks (it reads again, at most twice, then fails). FIFOs,
// devices, sockets and folders are refused at once, without blocking. The
// error is an [*Error].
func (w *Workspace) Read(f File, max int64) ([]byte, Stamp, error) {
	const tries = 3
	for range tries {
		text, stamp, err := w.readOnce(f, max)
		if err, ok := errors.AsType[*Error](err); ok && err.Reason == Changing {
			continue
		}
		return text, stamp, err
	}
	return nil, Stamp{}, &Error{Path: w.Shown(f), Reason: Changing}
}

func (w *Workspace) readOnce(f File, max int64) ([]byte, Stamp, error) {
	file, err := w.open(f)
	if err != nil {
		return nil, Stamp{}, err
	}
	defer file.Close() // nothing was written: the error of a close says nothing
	shown := w.Shown(f)
	info, err := file.Stat()
	if err != nil {
		return nil, Stamp{}, refuse(shown, err)
	}
	if reason := irregular(info.Mode()); reason != "" {
		return nil, Stamp{}, &Error{Path: shown, Reason: reason}
	}
	if info.Size() > max {
		return nil, Stamp{}, &Error{Path: shown, Reason: TooLarge}
	}
	// One byte more than there should be: filling it is growth.
	text := make([]byte, info.Size()+1)
	n, err := io.ReadFull(file, text)
	if err == nil {
		return nil, Stamp{}, &Error{Path: shown, Reason: Changing}
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, Stamp{}, refuse(shown, err)
	}
	after, err := file.Stat()
	if err != nil {
		return nil, Stamp{}, refuse(shown, err)
	}
	stamp := StampOf(after)
	if stamp != StampOf(info) || int64(n) != stamp.Size {
		return nil, Stamp{}, &Error{Path: shown, Reason: Changing}
	}
	return text[:n:n], stamp, nil
}

// open opens f for reading. A file that is not regular is refused before it is
// opened, because the open of a device is itself an act, and nobody answers
// the open of a FIFO; the caller asks the opened file again.
func (w *Workspace) open(f File) (*os.File, error) {
	var file *os.File
	err := w.within(f, func(root *os.Root, rel string) error {
		info, err := root.Stat(rel)
		if err != nil {
			return err
		}
		if reason := irregular(info.Mode()); reason != "" {
			return &Error{Path: w.Shown(f), Reason: reason}
		}
		file, err = root.OpenFile(rel, os.O_RDONLY|nonblock, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

// within calls do with the opened root and the relative path of f, and once
// more with the place that a link led to when that is inside the workspace
// though [os.Root] refuses the way: an absolute link, or one into another root.
// However the files change meanwhile, what do reaches is inside a root.
func (w *Workspace) within(f File, do func(root *os.Root, rel string) error) error {
	err := do(w.opened[f.Root], native(f.Rel))
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused
	}
	if !escapes(err) {
		return refuse(w.Shown(f), err)
	}
	dest, err := filepath.EvalSymlinks(w.Abs(f))
	if err != nil {
		return &Error{Path: w.Shown(f), Reason: LeadsOut}
	}
	for i, r := range w.roots {
		rel, ok := under(r.Canonical, dest)
		if !ok {
			continue
		}
		err := do(w.opened[i], native(filepath.ToSlash(rel)))
		if err == nil {
			return nil
		}
		if refused, ok := errors.AsType[*Error](err); ok {
			return refused
		}
		if escapes(err) {
			break
		}
		return refuse(w.Shown(f), err)
	}
	return &Error{Path: w.Shown(f), Reason: LeadsOut}
}

// escapes reports whether [os.Root] refused to leave the root. It has no
// sentinel for that; a test holds the text.
func escapes(err error) bool {
	return strings.Contains(bare(err).Error(), "escapes from parent")
}

func native(rel string) string {
	if rel == "" {
		return "."
	}
	return filepath.FromSlash(rel)
}

// irregular says what a file is that is not a regular one.
func irregular(mode fs.FileMode) Reason {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return IsFolder
	case mode&fs.ModeNamedPipe != 0:
		return IsPipe
	case mode&fs.ModeSocket != 0:
		return IsSocket
	case mode&fs.ModeDevice != 0:
		return IsDevice
	default:
		return IsIrregular
	}
}
