package confine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// readTries is how often a file that changes under the reader is read.
const readTries = 3

// Stat describes the file f without following a link out of the root.
func (w *Workspace) Stat(f File) (os.FileInfo, error) {
	to, err := w.final(f)
	if err != nil {
		return nil, err
	}
	info, err := w.handles[to.Root].Stat(filepath.FromSlash(to.Rel))
	if err != nil {
		return nil, w.fault(f, err)
	}
	return info, nil
}

// Read reads the regular file f, at most max bytes. The stamp is of the text
// that is returned: a file that changed while it was read is read again, at most
// twice. FIFOs, devices, sockets and folders are refused at once, without
// blocking. Errors are [*Error]s.
func (w *Workspace) Read(f File, max int64) ([]byte, Stamp, error) {
	to, err := w.final(f)
	if err != nil {
		return nil, Stamp{}, err
	}
	for range readTries {
		text, stamp, stable, err := w.readOnce(f, to, max)
		if err != nil || stable {
			return text, stamp, err
		}
	}
	return nil, Stamp{}, &Error{Path: w.Shown(f), Reason: Unstable}
}

func (w *Workspace) readOnce(f, to File, max int64) (text []byte, stamp Stamp, stable bool, err error) {
	handle, name := w.handles[to.Root], filepath.FromSlash(to.Rel)
	// Opening a device can have an effect, so it is looked at before; opening
	// again after is what counts.
	info, err := handle.Lstat(name)
	if err != nil {
		return nil, Stamp{}, false, w.fault(f, err)
	}
	if err := w.regular(f, info, max); err != nil {
		return nil, Stamp{}, false, err
	}
	file, err := handle.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, Stamp{}, false, w.fault(f, err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, Stamp{}, false, w.fault(f, err)
	}
	if err := w.regular(f, info, max); err != nil {
		return nil, Stamp{}, false, err
	}
	text = make([]byte, 0, info.Size()+1)
	for {
		n, err := file.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if int64(len(text)) > info.Size() {
			return nil, Stamp{}, false, nil // it grew
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, Stamp{}, false, w.fault(f, err)
		}
	}
	after, err := file.Stat()
	if err != nil {
		return nil, Stamp{}, false, w.fault(f, err)
	}
	stamp = StampOf(info)
	return text, stamp, StampOf(after) == stamp && int64(len(text)) == info.Size(), nil
}

// regular refuses everything but a regular file of at most max bytes.
func (w *Workspace) regular(f File, info fs.FileInfo, max int64) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return &Error{Path: w.Shown(f), Reason: Folder}
	case mode&fs.ModeSymlink != 0:
		return &Error{Path: w.Shown(f), Reason: LeadsOut} // put there just now
	case !mode.IsRegular():
		return &Error{Path: w.Shown(f), Reason: NotRegular}
	case info.Size() > max:
		return &Error{Path: w.Shown(f), Reason: TooLarge, Detail: fmt.Sprintf("%d bytes, the limit file_bytes is %d", info.Size(), max)}
	}
	return nil
}

// fault gives an error of the file system its reason.
func (w *Workspace) fault(f File, err error) error {
	reason, detail := Unreadable, ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		reason = Missing
	case errors.Is(err, syscall.ENOTDIR):
		reason, detail = Missing, "part of its path is a file"
	case escapes(err), errors.Is(err, syscall.ELOOP):
		reason = LeadsOut
	case errors.Is(err, fs.ErrPermission):
		detail = "permission denied"
	case errors.Is(err, syscall.ENXIO):
		reason = NotRegular
	}
	return &Error{Path: w.Shown(f), Reason: reason, Detail: detail, Err: err}
}
