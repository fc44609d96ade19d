package limits

import "time"

// kind is how the value of a limit is written and what it counts.
type kind int

const (
	count    kind = iota // "100", "10,000"
	size                 // bytes: "4MiB", "512"
	duration             // "20s", "1m30s"
)

// A limit is one row of the table from which defaults, parsing, checks and the
// rows shown to people are all derived. Values are nanoseconds, bytes or a
// plain count.
type limit struct {
	name    string
	kind    kind
	def     int64
	min     int64
	max     int64 // none when 0
	field   func(b *Budget) any
	meaning string
}

const (
	kib = 1 << 10
	mib = 1 << 20

	ms  = int64(time.Millisecond)
	sec = int64(time.Second)
	mnt = int64(time.Minute)
	hr  = int64(time.Hour)
)

// table returns every limit in the order in which people see them. A minimum
// of 0 is given only where nothing at all is a sensible wish: not to wait.
func table() []limit {
	return []limit{
		{"call_timeout", duration, 20 * sec, ms, 10 * mnt, func(b *Budget) any { return &b.CallTimeout }, "one request to a server, from the end of its first load"},
		{"ready_wait", duration, 30 * sec, 0, 10 * mnt, func(b *Budget) any { return &b.ReadyWait }, "waiting for a server to become ready"},
		{"call_total", duration, 50 * sec, ms, 10 * mnt, func(b *Budget) any { return &b.CallTotal }, "one call, start and readiness included"},
		{"server_start", duration, 60 * sec, ms, 10 * mnt, func(b *Budget) any { return &b.ServerStart }, "start of a server up to its answer to initialize"},
		{"server_idle", duration, 30 * mnt, ms, 0, func(b *Budget) any { return &b.ServerIdle }, "a server nobody asked ends after this"},
		{"server_memory", size, 8 << 30, 64 * mib, 1 << 40, func(b *Budget) any { return &b.ServerMemory }, "bytes of memory a server and its processes hold; over it the server is started anew"},
		{"drain", duration, 3 * sec, 0, 3 * sec, func(b *Budget) any { return &b.Drain }, "answers in flight after the end of stdin"},
		{"restarts", count, 5, 1, 100, func(b *Budget) any { return &b.Restarts }, "starts of a server in restart_window that served no answer"},
		{"restart_window", duration, 3 * mnt, sec, 24 * hr, func(b *Budget) any { return &b.RestartWindow }, "window in which restarts are counted"},
		{"settle", duration, 500 * ms, 0, mnt, func(b *Budget) any { return &b.Settle }, "quiet time that counts as ready where nothing else tells"},

		{"argument_chars", count, 32_768, 1, 32_768, func(b *Budget) any { return &b.ArgumentChars }, "characters of one call's arguments"},
		{"query_chars", count, 1_000, 1, 1_000, func(b *Budget) any { return &b.QueryChars }, "characters of a symbol query"},
		{"max_items", count, 100, 1, 5_000, func(b *Budget) any { return &b.MaxItems }, "items of a page"},
		{"max_chars", count, 10_000, 1, 100_000, func(b *Budget) any { return &b.MaxChars }, "characters of a page"},
		{"response_chars", count, 2_000_000, 1_000, 2_000_000, func(b *Budget) any { return &b.ResponseChars }, "characters of any answer"},
		{"line_chars", count, 400, 20, 10_000, func(b *Budget) any { return &b.LineChars }, "characters of a shown source line"},
		{"body_lines", count, 200, 1, 10_000, func(b *Budget) any { return &b.BodyLines }, "lines of a shown declaration"},

		{"hierarchy_depth", count, 3, 1, 5, func(b *Budget) any { return &b.HierarchyDepth }, "levels of a call or type hierarchy"},
		{"hierarchy_nodes", count, 200, 1, 2_000, func(b *Budget) any { return &b.HierarchyNodes }, "nodes of a hierarchy"},
		{"hierarchy_edges", count, 1_000, 1, 10_000, func(b *Budget) any { return &b.HierarchyEdges }, "edges of a hierarchy"},
		{"call_sites", count, 50, 1, 500, func(b *Budget) any { return &b.CallSites }, "call sites shown of an edge"},

		{"file_bytes", size, 4 * mib, 1, 64 * mib, func(b *Budget) any { return &b.FileBytes }, "bytes of a file that is read or formatted"},
		{"diagnostic_files", count, 500, 1, 5_000, func(b *Budget) any { return &b.DiagnosticFiles }, "files asked for diagnostics of the workspace"},
		{"edits", count, 5_000, 1, 50_000, func(b *Budget) any { return &b.Edits }, "edits of a preview"},
		{"inserted_bytes", size, 1 * mib, 1, 16 * mib, func(b *Budget) any { return &b.InsertedBytes }, "bytes a preview inserts"},
		{"preview_files", count, 200, 1, 2_000, func(b *Budget) any { return &b.PreviewFiles }, "files and file operations of a preview"},
		{"virtual_references", count, 512, 1, 8_192, func(b *Budget) any { return &b.VirtualRefs }, "references held to documents outside the workspace"},
		{"vdoc_ttl", duration, 15 * mnt, ms, 24 * hr, func(b *Budget) any { return &b.VdocTTL }, "life of such a reference after its last use"},

		{"session_calls", count, 16, 1, 256, func(b *Budget) any { return &b.SessionCalls }, "calls at once, a session"},
		{"server_calls", count, 64, 1, 256, func(b *Budget) any { return &b.ServerCalls }, "calls at once, a server"},
		{"open_documents", count, 32, 1, 512, func(b *Budget) any { return &b.OpenDocuments }, "documents open in a server"},
		{"watches", count, 16_384, 0, 524_288, func(b *Budget) any { return &b.Watches }, "folders watched for changes; beyond, each question walks through all"},
		{"write_queue", count, 256, 1, 16_384, func(b *Budget) any { return &b.WriteQueue }, "messages waiting to be written to a server"},
		{"lsp_message_bytes", size, 64 * mib, kib, 512 * mib, func(b *Budget) any { return &b.LSPMessageBytes }, "bytes of one message from a server"},
		{"mcp_message_bytes", size, 4 * mib, kib, 64 * mib, func(b *Budget) any { return &b.MCPMessageBytes }, "bytes of one message from a client"},
	}
}

// get returns the value of l in b.
func (l limit) get(b *Budget) int64 {
	switch p := l.field(b).(type) {
	case *time.Duration:
		return int64(*p)
	case *int:
		return int64(*p)
	case *int64:
		return *p
	default:
		panic("limits: field of an unknown type: " + l.name)
	}
}

// put stores v, already checked, as the value of l in b.
func (l limit) put(b *Budget, v int64) {
	switch p := l.field(b).(type) {
	case *time.Duration:
		*p = time.Duration(v)
	case *int:
		*p = int(v)
	case *int64:
		*p = v
	default:
		panic("limits: field of an unknown type: " + l.name)
	}
}
