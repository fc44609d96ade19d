package lspclient

import (
	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A Locate finds, in the very text a server is about to be asked with, the byte
// offset the question is about. It is called again when the file changed while
// the question was under way.
type Locate func(text *textpos.Mapper) (offset int, err error)

// A State says how far an answer can be trusted.
type State string

// The states, from best to worst.
const (
	Complete State = "complete" // every place there is
	Partial  State = "partial"  // places may be missing; the reasons say which
	Unknown  State = "unknown"  // the server never said whether it is ready
)

// Completeness says whether an answer is whole.
type Completeness struct {
	State      State
	Reasons    []string // one line each, sorted, none twice; empty when complete
	WaitedMS   int64    // milliseconds waited for readiness
	Generation int      // counts the starts of the server
}

// An Answer is what every answer of a server carries.
type Answer struct {
	Server       string // its name
	Completeness Completeness
	AtLeast      bool // the server itself cut the list
}

// A Location is a place in a document.
type Location struct {
	Inside bool
	File   confine.File // inside the workspace
	URI    string       // outside: as the server sent it; for vdocs, never shown
	Path   string       // outside, file scheme: cleaned absolute path; never shown
	Start  textpos.Point
	End    textpos.Point // exclusive
	Line   string        // whole text of the start line; "" outside the workspace
	In     string        // enclosing symbol, where the server said it
	Stale  bool          // the text there is not what was asked about, also after asking again
}

// Locations is an answer made of places, sorted and without doubles.
type Locations struct {
	Answer
	Items []Location
}

// A Symbol is a declared name. Kind is the LSP 3.17 §SymbolKind name in lower
// case ("function", "struct", "enum member").
type Symbol struct {
	Name      string
	Kind      string
	Detail    string
	Container string
	Place     Location // of the name
	// Extent is the whole declaration, body included; equal to the place where
	// the server gives no more.
	ExtentStart, ExtentEnd textpos.Point
	Children               []Symbol
}

// Symbols is an answer made of symbols: for a document in the order of its text,
// for a workspace in the order the server ranked them.
type Symbols struct {
	Answer
	Items []Symbol
	// Excluded are the symbols in files that are kept out of every answer, of a
	// workspace alone: name, kind and container, for counting what is missing.
	Excluded []Symbol
}

// A Hover is signature and documentation as text (Markdown or plain).
type Hover struct {
	Answer
	Text  string // "" when there is nothing to say about the place
	Start textpos.Point
	End   textpos.Point
}

// Formatting is what a server would change in one file.
type Formatting struct {
	Answer
	Text  []byte // the text the edits are for, as on disk
	Edits []textpos.Edit
}

// A DefinitionKind chooses one of the requests that lead to a declaration.
type DefinitionKind string

// The kinds.
const (
	KindDefinition  DefinitionKind = "definition"
	KindDeclaration DefinitionKind = "declaration"
	KindType        DefinitionKind = "type"
)
