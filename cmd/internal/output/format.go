package output

import "encoding/json"

// A Format is the form of an answer.
type Format string

// The formats.
const (
	Text    Format = "text"
	Vimgrep Format = "vimgrep"
	JSON    Format = "json"
	JSONL   Format = "jsonl"
	SARIF   Format = "sarif"
	GitHub  Format = "github"
)

// Machine reports whether programs read f, so that errors belong into it too.
func (f Format) Machine() bool { return f == JSON || f == JSONL || f == SARIF || f == GitHub }

// SchemaVersion is the schema_version of json and jsonl.
const SchemaVersion = 1

// A Question is what was asked, as json repeats it.
type Question struct {
	Command   string          `json:"command"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // as the tool got them
	Line      int             `json:"line,omitempty"`      // of a batch's input that asked, from 1
	ID        json.RawMessage `json:"id,omitempty"`        // that the line gave the question
}

// A Style says what the reader is.
type Style struct {
	Terminal bool   // the answer is shown on a terminal: escape what would steer it
	Color    bool   // mark parts of text answers with colours
	Version  string // of this program, for sarif; may be empty
}
