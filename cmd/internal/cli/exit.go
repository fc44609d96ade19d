package cli

import (
	"fmt"

	"lspbridge/tools"
)

// The exit codes.
const (
	exitAnswered    = 0   // answered, and the answer is complete
	exitCondition   = 1   // the condition that was asked for holds
	exitUsage       = 2   // usage, or a target that is bad, unknown or ambiguous
	exitIncomplete  = 3   // the answer is not complete
	exitServer      = 4   // a language server is missing or failed; or the answer could not be written
	exitRefused     = 5   // trust, writes, outside the workspace
	exitInterrupted = 130 // as shells report the end by SIGINT
)

// exitCodes explains them, for the help text and the README.
var exitCodes = []struct {
	Code    int
	Meaning string
}{
	{exitAnswered, "answered, and the answer is complete"},
	{exitCondition, "the condition asked for holds (--fail-if-found, --fail-if-empty, --check)"},
	{exitUsage, "wrong usage, or a target that is bad, unknown or ambiguous"},
	{exitIncomplete, "the answer is not complete (0 with --allow-partial), or not there in time"},
	{exitServer, "a language server is missing or failed"},
	{exitRefused, "refused: the workspace is not trusted, or the place is outside of it"},
	{exitInterrupted, "interrupted"},
}

// exitOf is the exit code of a class of errors.
func exitOf(c tools.Class) int {
	switch c {
	case tools.ClassUsage:
		return exitUsage
	case tools.ClassIncomplete:
		return exitIncomplete
	case tools.ClassRefused:
		return exitRefused
	default:
		return exitServer
	}
}

// An exitStatus ends the program with a code and without an error message: the
// answer, or an error printed before, said it all.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// failure is an error of the command line itself.
func failure(class tools.Class, code, hint, format string, args ...any) *tools.Error {
	return &tools.Error{Class: class, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// usage is a failure that the user's words caused.
func usage(hint, format string, args ...any) *tools.Error {
	return failure(tools.ClassUsage, "usage", hint, format, args...)
}
