package edits

import "lspbridge/lspclient/textpos"

// Normalize checks edits against a text of size bytes and returns them sorted
// by start, inserts at one place in their given order, empty ones dropped. Any
// edit outside the text, reversed or overlapping refuses them all.
func Normalize(size int, es []textpos.Edit) ([]textpos.Edit, error) { panic("todo") }

// Apply returns text with normalized edits applied.
func Apply(text []byte, es []textpos.Edit) ([]byte, error) { panic("todo") }

// A Diff is a unified diff of one file.
type Diff struct {
	Text           string // as git apply takes it; "" when nothing changes
	Added, Deleted int    // lines
	WholeFile      bool   // the text was too large to compare; one hunk replaces it all
}

// Unified compares before and after, names the file path, and keeps context
// lines around each change. The diff is for display, and exact: git apply on
// before gives after, bytes for bytes.
func Unified(path string, before, after []byte, context int) (Diff, error) { panic("todo") }
