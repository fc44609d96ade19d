package edits

import (
	"cmp"
	"fmt"
	"slices"

	"lspbridge/lspclient/textpos"
)

// Normalize checks edits against a text of size bytes and returns them sorted
// by start, inserts at one place in their given order, empty ones dropped. Any
// edit outside the text, reversed or overlapping refuses them all.
//
// Edits may touch. An insert at the start of a replacement comes before it, one
// at its end behind it, and one inside it overlaps (LSP 3.17 §TextEdit[]). The
// errors count edits from 1, in the given order. The given slice stays as it is.
func Normalize(size int, es []textpos.Edit) ([]textpos.Edit, error) {
	type numbered struct {
		textpos.Edit
		n int
	}
	sorted := make([]numbered, 0, len(es))
	for i, e := range es {
		switch {
		case e.Start > e.End:
			return nil, fmt.Errorf("%s is reversed", describe(i+1, len(es), e))
		case e.Start < 0 || e.End > size:
			return nil, fmt.Errorf("%s is outside the text of %d bytes", describe(i+1, len(es), e), size)
		case e.Start == e.End && e.New == "":
			continue
		}
		sorted = append(sorted, numbered{e, i + 1})
	}
	slices.SortStableFunc(sorted, func(a, b numbered) int {
		// Of two at one start, the one with bytes of its own comes last.
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(min(a.End-a.Start, 1), min(b.End-b.Start, 1)))
	})
	out := make([]textpos.Edit, len(sorted))
	for i, e := range sorted {
		if i > 0 && e.Start < sorted[i-1].End {
			last := sorted[i-1]
			return nil, fmt.Errorf("%s overlaps %s", describe(e.n, len(es), e.Edit), describe(last.n, len(es), last.Edit))
		}
		out[i] = e.Edit
	}
	return out, nil
}

// Apply returns text with normalized edits applied. Edits that are not as
// [Normalize] leaves them are an error. text stays as it is.
func Apply(text []byte, es []textpos.Edit) ([]byte, error) {
	size := len(text)
	for i, e := range es {
		switch {
		case e.Start > e.End:
			return nil, fmt.Errorf("%s is reversed", describe(i+1, len(es), e))
		case e.Start < 0 || e.End > len(text):
			return nil, fmt.Errorf("%s is outside the text of %d bytes", describe(i+1, len(es), e), len(text))
		case i > 0 && e.Start < es[i-1].End:
			return nil, fmt.Errorf("%s starts before the end of %s", describe(i+1, len(es), e), describe(i, len(es), es[i-1]))
		}
		size += len(e.New) - (e.End - e.Start)
	}
	out := make([]byte, 0, size)
	at := 0
	for _, e := range es {
		out = append(out, text[at:e.Start]...)
		out = append(out, e.New...)
		at = e.End
	}
	return append(out, text[at:]...), nil
}

// describe names an edit in an error, without its text: that is the file's.
func describe(n, of int, e textpos.Edit) string {
	return fmt.Sprintf("edit %d of %d (bytes %d to %d)", n, of, e.Start, e.End)
}
