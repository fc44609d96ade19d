package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
)

// A Class of errors decides the exit code of a command.
type Class int

// The classes.
const (
	ClassUsage      Class = iota // bad arguments; a target that is bad, unknown or ambiguous: 2
	ClassIncomplete              // not ready in time: 3
	ClassServer                  // a language server is missing or failed: 4
	ClassRefused                 // trust, writes, outside the workspace: 5
)

// An Error is a question that got no answer: one line, then what to do next.
type Error struct {
	Class      Class    `json:"-"`
	Code       string   `json:"code"` // snake_case, stable
	Message    string   `json:"message"`
	Hint       string   `json:"hint,omitempty"`
	Candidates []string `json:"candidates,omitempty"` // places or names to choose from
}

func (e *Error) Error() string { return e.Message }

// Text returns the error as a person or an agent reads it: the message, the
// candidates one a line, and the hint.
func (e *Error) Text() string {
	var b strings.Builder
	b.WriteString(e.Message)
	for _, c := range e.Candidates {
		b.WriteString("\n  " + c)
	}
	if e.Hint != "" {
		b.WriteString("\nhint: " + e.Hint)
	}
	return b.String()
}

// maxMessageChars bounds the message and the hint of an error.
const maxMessageChars = 600

// usagef returns an error of the caller's own making.
func usagef(code, hint, format string, args ...any) *Error {
	return &Error{Class: ClassUsage, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// outsidef returns the refusal of a target that is outside the workspace.
func outsidef(format string, args ...any) *Error {
	return &Error{
		Class: ClassRefused, Code: "outside_workspace", Message: fmt.Sprintf(format, args...),
		Hint: "ask at a place inside the workspace where it is used",
	}
}

// toError makes any error one that a caller may see. What a server said goes
// through the redactor; an error of unknown origin is not shown at all.
func (b *Bridge) toError(ctx context.Context, err error) *Error {
	var own *Error
	var server *lspclient.Error
	var path *confine.Error
	e := &Error{}
	switch {
	case errors.As(err, &own):
		*e = *own
	case errors.As(err, &server):
		*e = fromServer(server)
		e.Message, e.Hint = b.redact.Error(e.Message), b.redact.Error(e.Hint)
	case errors.As(err, &path):
		*e = fromPath(path)
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		*e = Error{
			Class: ClassIncomplete, Code: "timeout", Message: fmt.Sprintf("no answer within %s (call_total)", b.limits.CallTotal),
			Hint: "ask again: what was loaded meanwhile is kept",
		}
	case errors.Is(context.Cause(ctx), errEnding):
		*e = Error{
			Class: ClassIncomplete, Code: "closed", Message: "the bridge ended before the answer was there",
			Hint: "start it again and ask again",
		}
	case errors.Is(err, context.Canceled):
		*e = Error{Class: ClassIncomplete, Code: "cancelled", Message: "the question was cancelled"}
	default:
		b.log.Error("question failed", "error", err)
		*e = Error{
			Class: ClassServer, Code: "internal", Message: "the question failed inside the bridge",
			Hint: "the log says why",
		}
	}
	e.Message, e.Hint = oneLine(e.Message), oneLine(e.Hint)
	return e
}

func fromServer(err *lspclient.Error) Error {
	e := Error{Class: ClassServer, Code: string(err.Code), Message: err.Msg, Hint: err.Hint}
	switch err.Code {
	case lspclient.CodeStarting, lspclient.CodeTimeout, lspclient.CodeBusy, lspclient.CodeChanged, lspclient.CodeClosed:
		e.Class = ClassIncomplete
		e.Hint = orElse(e.Hint, "ask again: what was loaded meanwhile is kept")
	case lspclient.CodeBadFile, lspclient.CodeTooMany:
		e.Class = ClassUsage
	case lspclient.CodeNoServer:
		e.Hint = orElse(e.Hint, "servers of further languages are named in servers.json")
	case lspclient.CodeRefused:
		// A working server that will not answer for this place or this name.
		e.Class = ClassUsage
		e.Hint = orElse(e.Hint, "check that the place is one the server can answer for")
	}
	return e
}

func orElse(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}

// oneLine makes s a bounded single line without control characters.
func oneLine(s string) string {
	s = strings.TrimSpace(s)
	if strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && (unicode.IsControl(r) || unicode.IsSpace(r)) }) {
		s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }), " ")
	}
	return clipTo(s, maxMessageChars)
}

// clipWord bounds a word of the caller that an error repeats.
func clipWord(s string) string { return clipTo(s, 80) }

func clipTo(s string, chars int) string {
	if len(s) <= chars || utf8.RuneCountInString(s) <= chars {
		return s
	}
	for i := range s {
		if chars == 1 {
			return s[:i] + "…"
		}
		chars--
	}
	return s
}

// fromPath is the error of a refused path. Only what leads out of the workspace,
// or is kept out of it, is refused; the rest is a bad argument.
func fromPath(err *confine.Error) Error {
	e := Error{Class: ClassUsage, Code: "bad_path", Message: err.Error(), Hint: "give a path relative to the workspace"}
	switch err.Reason {
	case confine.Outside, confine.LeadsOut, confine.DotDot:
		e.Class, e.Code, e.Hint = ClassRefused, "outside_workspace", "only files inside the workspace can be asked about"
	case confine.Excluded:
		e.Class, e.Code, e.Hint = ClassRefused, "excluded", "ask about another file"
	case confine.NotExist, confine.DeadLink:
		e.Code = "no_such_file"
	case confine.TooLarge:
		e.Code, e.Hint = "file_too_large", "raise --limit file_bytes="
	}
	return e
}
