package lspclient

// A Code classes an error for the caller that branches on it.
type Code string

// The codes.
const (
	CodeNoServer    Code = "no_server"   // no server is known for the file's language
	CodeMissing     Code = "missing"     // the server's program is not installed
	CodeFailed      Code = "failed"      // the server did not start, crashed, or broke the protocol
	CodeStarting    Code = "starting"    // still starting when the call's time was over
	CodeTimeout     Code = "timeout"     // no answer in time
	CodeUnsupported Code = "unsupported" // the server lacks the method
	CodeRefused     Code = "refused"     // the server answered with an error
	CodeUnloaded    Code = "unloaded"    // the server could not load the package of the asked file
	CodeBusy        Code = "busy"        // no slot in time
	CodeBadFile     Code = "bad_file"    // the asked file cannot be read
	CodeChanged     Code = "changed"     // the file changed again and again while it was asked about
	CodeTooMany     Code = "too_many"    // the server's edit is over a limit
	CodeBadEdit     Code = "bad_edits"   // the server's edit cannot be made, or not be shown
	CodeClosed      Code = "closed"      // the bridge is ending
)

// An Error is a question that got no answer. Its text is one line, names the
// server and, where one was asked, the method, and holds no path outside the
// workspace that the bridge itself put there; text of the server in it still
// goes through the redactor.
type Error struct {
	Code   Code
	Server string
	Method string
	Msg    string
	Hint   string // what to do next; may be empty
	Err    error  // the cause, for the log
}

func (e *Error) Error() string { return e.Msg }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
