package limits

import (
	"fmt"
	"time"
)

// A Budget is the set of limits in force. The zero value is not usable: start
// from [Default].
type Budget struct {
	CallTimeout   time.Duration // one request to a server, from the end of its first load
	ReadyWait     time.Duration // waiting for a server to become ready
	CallTotal     time.Duration // one call, start and readiness included
	ServerStart   time.Duration // start of a server up to its answer to initialize
	ServerIdle    time.Duration // a server nobody asked ends after this
	Drain         time.Duration // answers in flight after the end of stdin
	RestartWindow time.Duration // window in which Restarts are counted
	Settle        time.Duration // quiet time that counts as ready where nothing else tells
	VdocTTL       time.Duration // life of a reference after its last use

	ArgumentChars int // characters of one call's arguments
	QueryChars    int // characters of a symbol query
	MaxItems      int // items of a page
	MaxChars      int // characters of a page
	ResponseChars int // characters of any answer
	LineChars     int // characters of a shown source line
	BodyLines     int // lines of a shown declaration

	HierarchyDepth int // levels of a call or type hierarchy
	HierarchyNodes int // nodes of a hierarchy
	HierarchyEdges int // edges of a hierarchy
	CallSites      int // call sites shown of an edge

	Edits           int // edits of a preview
	InsertedBytes   int // bytes a preview inserts
	PreviewFiles    int // files and file operations of a preview
	DiagnosticFiles int // files asked for diagnostics of the workspace
	VirtualRefs     int // references held
	SessionCalls    int // calls at once, a session
	ServerCalls     int // calls at once, a server
	OpenDocuments   int // documents open in a server
	Watches         int // folders
	Restarts        int // starts in RestartWindow that served no answer
	WriteQueue      int // messages waiting to be written to a server

	ServerMemory    int64 // bytes a server and its descendants may hold
	FileBytes       int64 // bytes of a file that is read or formatted
	LSPMessageBytes int64 // bytes of one message from a server
	MCPMessageBytes int64 // bytes of one message from a client
}

// Default returns every limit at its default.
func Default() Budget {
	var b Budget
	for _, l := range table() {
		l.put(&b, l.def)
	}
	return b
}

// Set sets the limit name from its text form: a duration ("20s"), a size in
// bytes ("4MiB", "64KiB", "512") or a count ("100", "10,000", "10_000"). On an
// error, which names the limit, its unit and its bounds in one line, b is
// unchanged.
func (b *Budget) Set(name, value string) error {
	for _, l := range table() {
		if l.name != name {
			continue
		}
		v, err := l.parse(value)
		if err != nil {
			return err
		}
		l.put(b, v)
		return nil
	}
	return unknown(name)
}

// MaxCommandTimeout is the default and the maximum of the time that one command
// on the command line may take, where nobody else waits for the answer.
const MaxCommandTimeout = time.Hour

// SetCommandTimeout gives one command on the command line the time d in all:
// call_total becomes d, also past the maximum that [Budget.Set] knows, and
// ready_wait and server_start become at least d. On an error b is unchanged.
func (b *Budget) SetCommandTimeout(d time.Duration) error {
	if d <= 0 || d > MaxCommandTimeout {
		return fmt.Errorf("the timeout must be more than 0s and at most %s, not %s", formatDuration(MaxCommandTimeout), formatDuration(d))
	}
	b.CallTotal = d
	b.ReadyWait = max(b.ReadyWait, d)
	b.ServerStart = max(b.ServerStart, d)
	return nil
}

// A Row describes one limit for people: server_status, README, errors.
type Row struct {
	Name    string // as --limit takes it, snake_case
	Value   string // in force, in text form
	Default string
	Maximum string // "none" where there is none
	Help    string
}

// Rows lists every limit in a fixed order. A row's Value and Default are in
// the form that [Budget.Set] takes.
func (b Budget) Rows() []Row {
	ls := table()
	rows := make([]Row, 0, len(ls))
	for _, l := range ls {
		rows = append(rows, Row{
			Name:    l.name,
			Value:   l.kind.format(l.get(&b)),
			Default: l.kind.format(l.def),
			Maximum: l.maximum(),
			Help:    l.meaning,
		})
	}
	return rows
}
