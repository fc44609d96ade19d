package edits

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// A Diff is a unified diff of one file.
type Diff struct {
	Text           string // as git apply takes it; "" when nothing changes
	Added, Deleted int    // lines
	// WholeFile is true when the texts, or a part of them, were too large to
	// compare line by line, see [MaxCompared]: that part is shown as replaced as a
	// whole, also where lines of it stay.
	WholeFile bool
}

// Unified compares before and after, names the file path, and keeps context
// lines around each change. The diff is for display, and exact: git apply on
// before gives after, byte for byte, given at least one context line (without
// any, git can take one of two equal neighbours for the other).
//
// path is relative, with slashes; an empty or absolute path, a NUL in it and a
// negative context are errors. A line ends at "\n", as for git: the "\r" of a
// CRLF belongs to the line. An empty before or after is an empty file, not a
// missing one.
func Unified(path string, before, after []byte, context int) (Diff, error) {
	switch {
	case path == "":
		return Diff{}, errors.New("diff: no file name")
	case strings.HasPrefix(path, "/") || strings.IndexByte(path, 0) >= 0:
		return Diff{}, fmt.Errorf("diff: %q is no relative file name", path)
	case context < 0:
		return Diff{}, fmt.Errorf("diff: %d context lines", context)
	}
	if bytes.Equal(before, after) {
		return Diff{}, nil
	}
	var w strings.Builder
	header(&w, path, len(before) == 0 || len(after) == 0)
	d := hunks(&w, before, after, context)
	d.Text = w.String()
	return d, nil
}

// hunks writes what differs between two texts, and returns the counts.
func hunks(w *strings.Builder, before, after []byte, context int) Diff {
	a, b := lines(before), lines(after)
	changes, coarse := compare(a, b)
	d := Diff{WholeFile: coarse}
	for _, c := range changes {
		d.Deleted += c.a.len()
		d.Added += c.b.len()
	}
	for _, group := range groups(changes, context) {
		hunk(w, a, b, group, context)
	}
	return d
}

// header writes what stands before the hunks. git takes a patch that empties a
// file for its removal, and one that fills an empty file for its creation,
// unless a "diff --git" line says that the file stays.
func header(w *strings.Builder, path string, empty bool) {
	old, renewed := quoteName("a/"+path), quoteName("b/"+path)
	if empty {
		fmt.Fprintf(w, "diff --git %s %s\n", old, renewed)
	}
	names(w, old, renewed)
}

// names writes the two names that stand before hunks. As in git, a tab ends a
// name that holds a space, since a date may follow.
func names(w *strings.Builder, old, renewed string) {
	for _, line := range [2][2]string{{"---", old}, {"+++", renewed}} {
		end := ""
		if strings.Contains(line[1], " ") && line[1][0] != '"' {
			end = "\t"
		}
		fmt.Fprintf(w, "%s %s%s\n", line[0], line[1], end)
	}
}

// groups splits changes where more than twice the context lies between two, so
// that their hunks do not meet.
func groups(changes []change, context int) [][]change {
	var out [][]change
	for start, i := 0, 1; i <= len(changes); i++ {
		if i == len(changes) || changes[i].a.start-changes[i-1].a.end > 2*context {
			out = append(out, changes[start:i])
			start = i
		}
	}
	return out
}

// hunk writes one hunk: the changes of a group and the lines around them.
func hunk(w *strings.Builder, a, b []string, group []change, context int) {
	first, last := group[0], group[len(group)-1]
	lead := min(context, first.a.start)
	tail := min(context, len(a)-last.a.end)
	fmt.Fprintf(w, "@@ -%s +%s @@\n",
		place(first.a.start-lead, last.a.end+tail), place(first.b.start-lead, last.b.end+tail))
	at := first.a.start - lead
	for _, c := range group {
		put(w, ' ', a[at:c.a.start])
		put(w, '-', a[c.a.start:c.a.end])
		put(w, '+', b[c.b.start:c.b.end])
		at = c.a.end
	}
	put(w, ' ', a[at:last.a.end+tail])
}

// place writes the lines [start, end) as a hunk's header has them: the first
// one, 1-based, and their count. No lines are named by the line before them.
func place(start, end int) string {
	switch end - start {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprintf("%d", start+1)
	}
	return fmt.Sprintf("%d,%d", start+1, end-start)
}

// put writes lines behind a mark.
func put(w *strings.Builder, mark byte, ls []string) {
	for _, l := range ls {
		w.WriteByte(mark)
		w.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			w.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
