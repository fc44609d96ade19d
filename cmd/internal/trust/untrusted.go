package trust

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// An Untrusted is a folder that is not trusted.
type Untrusted struct {
	Dir      string // as the user spelled it
	Replaced bool   // another folder at its place was trusted
}

// An UntrustedError says which folders are not trusted and what to run.
type UntrustedError struct {
	Folders []Untrusted
}

// Error returns one line: why, and the command that a person runs.
func (e *UntrustedError) Error() string {
	return e.Why() + "; look at what it holds and run: " + e.Command()
}

// Why returns the error without the command.
func (e *UntrustedError) Why() string {
	var parts []string
	for _, f := range e.Folders {
		if f.Replaced {
			parts = append(parts, fmt.Sprintf("the folder %s was replaced by another since it was trusted", quote(f.Dir)))
		} else {
			parts = append(parts, fmt.Sprintf("the workspace %s is not trusted", quote(f.Dir)))
		}
	}
	return strings.Join(parts, ", ")
}

// Command returns the command that trusts the folders, fit to be pasted into a
// shell.
func (e *UntrustedError) Command() string {
	var b strings.Builder
	b.WriteString("lspbridge trust")
	for _, f := range e.Folders {
		b.WriteByte(' ')
		b.WriteString(quote(f.Dir))
	}
	return b.String()
}

// quote returns s as one word of a POSIX shell, on one line and without a
// character that a terminal would act on.
func quote(s string) string {
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("/._-+:@%,=", r)
	}
	switch {
	case s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }):
		return s
	case !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	// $'...' is the form that has escapes; each byte on its own, in octal,
	// means the same to every shell that has the form.
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range []byte(s) {
		if c < unicode.MaxASCII && plain(rune(c)) || c == ' ' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	b.WriteString("'")
	return b.String()
}
