package limits

import "time"

// A Budget is the set of limits in force. The zero value is not usable: start
// from [Default].
type Budget struct {
	CallTimeout    time.Duration // one request to a server, from the end of its first load
	ReadyWait      time.Duration // waiting for a server to become ready
	CallTotal      time.Duration // one call, start and readiness included
	ConfirmTimeout time.Duration // waiting for a person's answer
	ServerStart    time.Duration // start of a server up to its answer to initialize
	ServerIdle     time.Duration // a server nobody asked ends after this
	Drain          time.Duration // answers in flight after the end of stdin
	RestartWindow  time.Duration // window in which Restarts are counted
	Settle         time.Duration // quiet time that counts as ready where nothing else tells
	VdocTTL        time.Duration // life of a reference after its last use

	ArgumentChars int // characters of one call's arguments
	QueryChars    int // characters of a symbol query
	MaxItems      int // items of a page
	MaxChars      int // characters of a page
	ResponseChars int // characters of any answer
	LineChars     int // characters of a shown source line
	BodyLines     int // lines of a shown declaration
	Edits         int // edits of a preview
	InsertedBytes int // bytes a preview inserts
	VirtualRefs   int // references held
	SessionCalls  int // calls at once, a session
	ServerCalls   int // calls at once, a server
	OpenDocuments int // documents open in a server
	Restarts      int // starts in RestartWindow that served no answer
	WriteQueue    int // messages waiting to be written to a server

	FileBytes       int64 // bytes of a file that is read or formatted
	LSPMessageBytes int64 // bytes of one message from a server
	MCPMessageBytes int64 // bytes of one message from a client
}

// Default returns every limit at its default.
func Default() Budget { panic("todo") }

// Set sets the limit name from its text form: a duration ("20s"), a size
// ("4MiB") or a count. The error names the limit, its unit and its maximum.
func (b *Budget) Set(name, value string) error { panic("todo") }

// A Row describes one limit for people: server_status, README, errors.
type Row struct {
	Name    string // as --limit takes it, snake_case
	Value   string // in force, in text form
	Default string
	Maximum string
	Help    string
}

// Rows lists every limit in a fixed order.
func (b Budget) Rows() []Row { panic("todo") }
