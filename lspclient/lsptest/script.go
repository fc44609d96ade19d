package lsptest

import (
	"encoding/json"
	"time"
)

// A Script says how the fake language server behaves. The zero value is a server
// that answers initialize and shutdown, says "method not found" to everything
// else, and is well-behaved.
//
// In every piece of JSON, "$ROOT" stands for the rootUri that the client sent,
// "$URI" and "$VERSION" for textDocument.uri and .version of the message that is
// reacted to, and "$ID" for its id; the text is replaced before the JSON is read,
// so that "$ID" and "$VERSION" may stand without quotes.
type Script struct {
	// Encoding is answered as capabilities.positionEncoding ("utf-8", "utf-16",
	// "utf-32"); "" leaves it out. OffsetEncoding is answered beside the
	// capabilities, as clangd does.
	Encoding       string `json:",omitempty"`
	OffsetEncoding string `json:",omitempty"`
	// Capabilities replaces [DefaultCapabilities]; a JSON object.
	Capabilities string `json:",omitempty"`
	// On holds the reactions to messages, by method: to the first one, the second
	// one, and so on; the last serves all that follow.
	On map[string][]Reaction `json:",omitempty"`
	// Start is done before anything is read.
	Start []Action `json:",omitempty"`

	// What follows counts for a server that runs as a process.

	// IgnoreTERM makes it, and its grandchild, ignore SIGTERM. It also stays when
	// its input ends.
	IgnoreTERM bool `json:",omitempty"`
	// Grandchild makes it leave a process with a session of its own, which
	// inherits no pipe; see [Process.AwaitGrandchild].
	Grandchild bool `json:",omitempty"`
	// Next is the script of the second start and all later ones; nil repeats
	// this one.
	Next *Script `json:",omitempty"`
}

// A Reaction is what the fake server does about one message: Before, then for a
// call the answer, then After.
type Reaction struct {
	Before []Action `json:",omitempty"`
	// Result is the JSON of the answer; "" with no Error is null for a call whose
	// method has no answer of its own.
	Result string `json:",omitempty"`
	Error  *Error `json:",omitempty"`
	// Reply, if not "", is written in place of the whole answer, framing included.
	Reply string `json:",omitempty"`
	// Never leaves the call unanswered.
	Never bool     `json:",omitempty"`
	After []Action `json:",omitempty"`
}

// An Error is an error reply.
type Error struct {
	Code    int
	Message string
}

// An Action is one thing that the fake server does by itself. The members that
// are set are done in the order in which they stand here.
type Action struct {
	// Sleep waits, beside the reading of further messages.
	Sleep time.Duration `json:",omitempty"`
	// Hold waits for [Fake.Release].
	Hold bool `json:",omitempty"`
	// Notify and Request send a notification or a request with Params, Count
	// times (0 is once). Requests are not waited for.
	Notify  string `json:",omitempty"`
	Request string `json:",omitempty"`
	Params  string `json:",omitempty"`
	Count   int    `json:",omitempty"`
	// Await waits until every request of this method that was sent is answered.
	Await string `json:",omitempty"`
	// Raw is written to stdout as it is.
	Raw string `json:",omitempty"`
	// Stderr writes this many bytes to stderr, in lines.
	Stderr int `json:",omitempty"`
	// StopReading leaves all further input unread.
	StopReading bool `json:",omitempty"`
	// Exit ends the server: a process with this status, a negative one by killing
	// itself; one in process by closing its pipes.
	Exit *int `json:",omitempty"`
}

// Exit is an action that ends the server; see [Action.Exit].
func Exit(status int) Action { return Action{Exit: &status} }

// DefaultCapabilities are the server capabilities of a Script without any: all
// that the bridge asks for, documents synchronised incrementally.
const DefaultCapabilities = `{
	"textDocumentSync": {"openClose": true, "change": 2, "save": true},
	"definitionProvider": true, "declarationProvider": true, "typeDefinitionProvider": true,
	"implementationProvider": true, "referencesProvider": true, "hoverProvider": true,
	"documentSymbolProvider": true, "workspaceSymbolProvider": true,
	"documentFormattingProvider": true, "documentRangeFormattingProvider": true
}`

// Progress is a work-done progress from begin to end: the create request, begin,
// one report for each message, and end. A last message "…" leaves it without an
// end: a server that is never ready.
func Progress(token, title string, messages ...string) []Action {
	value := func(members map[string]any) string {
		text, err := json.Marshal(map[string]any{"token": token, "value": members})
		if err != nil {
			panic(err) // strings alone
		}
		return string(text)
	}
	id, err := json.Marshal(map[string]any{"token": token})
	if err != nil {
		panic(err)
	}
	steps := []Action{
		{Request: "window/workDoneProgress/create", Params: string(id), Await: "window/workDoneProgress/create"},
		{Notify: "$/progress", Params: value(map[string]any{"kind": "begin", "title": title})},
	}
	for i, m := range messages {
		if m == "…" && i == len(messages)-1 {
			return steps
		}
		steps = append(steps, Action{Notify: "$/progress", Params: value(map[string]any{"kind": "report", "message": m})})
	}
	return append(steps, Action{Notify: "$/progress", Params: value(map[string]any{"kind": "end"})})
}
