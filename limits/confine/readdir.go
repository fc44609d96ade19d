package confine

import (
	"io"
	"io/fs"
	"os"
)

// ReadDir lists the folder f, at most max entries in the order of the system,
// without following a link out of the root; more says that there are others. A
// zero Rel is the root itself. The error is an [*Error].
func (w *Workspace) ReadDir(f File, max int) (entries []fs.DirEntry, more bool, err error) {
	err = w.within(f, func(root *os.Root, rel string) error {
		info, err := root.Stat(rel)
		if err != nil {
			return err
		}
		if !info.IsDir() { // a FIFO would block
			return &Error{Path: w.Shown(f), Reason: NotFolder}
		}
		dir, err := root.Open(rel)
		if err != nil {
			return err
		}
		defer dir.Close() // nothing was written: the error of a close says nothing
		if entries, err = dir.ReadDir(max + 1); err == io.EOF {
			err = nil
		}
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if len(entries) > max {
		return entries[:max], true, nil
	}
	return entries, false, nil
}
