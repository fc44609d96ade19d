package confine

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Reason says why a path is refused.
type Reason string

// The reasons for which a path is refused.
const (
	Empty      Reason = "the path is empty"
	NotUTF8    Reason = "the path is not UTF-8"
	HasNUL     Reason = "the path has a NUL byte"
	NotLocal   Reason = "the path has a name that the system reserves"
	IsRoot     Reason = "the path is the workspace folder itself, not a file in it"
	DotDot     Reason = `the path leaves the workspace by ".."`
	Outside    Reason = "the path is outside the workspace"
	NoSuchRoot Reason = "the workspace has several folders, and the path does not start with the name of one"
	LeadsOut   Reason = "a symbolic link on the path leads out of the workspace"
	DeadLink   Reason = "a symbolic link on the path leads nowhere"
	Excluded   Reason = "the file is excluded"

	NotExist     Reason = "no such file"
	NotPermitted Reason = "permission denied"
	IsFolder     Reason = "it is a folder, not a file"
	IsPipe       Reason = "it is a named pipe, not a file"
	IsSocket     Reason = "it is a socket, not a file"
	IsDevice     Reason = "it is a device, not a file"
	IsIrregular  Reason = "it is not a regular file"
	TooLarge     Reason = "the file is over the limit file_bytes"
	Changing     Reason = "the file keeps changing while it is read"
	Unreadable   Reason = "the file cannot be read"

	NotAbsolute   Reason = "a workspace folder must be an absolute path"
	NoFolder      Reason = "no such folder"
	NotFolder     Reason = "it is a file, not a folder"
	WholeSystem   Reason = "the root of the file system cannot be a workspace"
	HomeFolder    Reason = "the home folder cannot be a workspace"
	Replaced      Reason = "the folder that was opened is no longer there"
	TwiceGiven    Reason = "the folder is given twice"
	NestedFolders Reason = "one workspace folder is inside another"
	NoFolders     Reason = "a workspace needs a folder"
)

// An Error is a refused path. Its text is one line that names the path as the
// caller spelled it and never names a place outside the workspace.
type Error struct {
	Path   string
	Reason Reason
	Err    error // what the system said, without a path; nil where it was not asked
}

// Error returns the path, quoted where it would not be fit for a line, and the
// reason.
func (e *Error) Error() string {
	if e.Path == "" {
		return string(e.Reason)
	}
	return display(e.Path) + ": " + string(e.Reason)
}

// Unwrap lets [errors.Is] find [fs.ErrNotExist] and [fs.ErrPermission].
func (e *Error) Unwrap() error { return e.Err }

// refuse makes the error of what the system said about path. An error of
// package os holds the path it was given, which may be a place that the caller
// must not learn of: its innermost error alone is kept.
func refuse(path string, err error) *Error {
	reason := Unreadable
	switch {
	case errors.Is(err, fs.ErrNotExist):
		reason = NotExist
	case errors.Is(err, fs.ErrPermission):
		reason = NotPermitted
	}
	return &Error{Path: path, Reason: reason, Err: bare(err)}
}

// bare strips the paths that package os puts around an error of the system.
func bare(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

// display makes a path fit for one line: quoted where it has characters that a
// terminal would not show as they are, and no longer than a person reads.
func display(path string) string {
	const longest = 300 // bytes
	tail := ""
	if len(path) > longest {
		cut := longest
		for cut > longest-utf8.UTFMax && !utf8.RuneStart(path[cut]) {
			cut--
		}
		path, tail = path[:cut], "…"
	}
	if !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(path) + tail
	}
	return path + tail
}
