package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// A Reason says why a path is refused.
type Reason string

// The reasons.
const (
	Empty      Reason = "is empty"
	HasNUL     Reason = "holds a NUL byte"
	NotUTF8    Reason = "is not UTF-8"
	Outside    Reason = "is outside the workspace"
	LeadsOut   Reason = "is a symbolic link, or below one, that leads out of the workspace or in a circle"
	Excluded   Reason = "is excluded from this workspace"
	Missing    Reason = "does not exist"
	Folder     Reason = "is a folder, not a file"
	NotRegular Reason = "is no regular file (a FIFO, socket or device)"
	TooLarge   Reason = "is too large"
	Unstable   Reason = "keeps changing while it is read"
	Unreadable Reason = "cannot be read"
)

// An Error is a refused path. Its text is one line that names the path as the
// caller spelled it and never names a place outside the workspace.
type Error struct {
	Path   string
	Reason Reason
	Detail string // appended to the reason; may be empty
	Err    error  // the cause, for errors.Is; its text is not shown
}

func (e *Error) Error() string {
	text := quote(e.Path) + " " + string(e.Reason)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// quote spells a path so that it fits into one line: as it is when it is plain,
// quoted otherwise.
func quote(path string) string {
	const most = 200
	if len(path) > most {
		path = strings.ToValidUTF8(path[:most], "") + "…"
	}
	if path == "" || strings.ContainsFunc(path, func(r rune) bool { return !strconv.IsPrint(r) || r == '"' }) {
		return strconv.Quote(path)
	}
	return path
}

// reasonOf drops the path from an error of the file system: it can be one that
// the caller did not spell.
func reasonOf(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%w", pe.Err)
	}
	return err
}
