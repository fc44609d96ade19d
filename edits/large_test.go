package edits_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lspbridge/edits"
)

// numbered returns n lines that all differ.
func numbered(n int) []string {
	ls := make([]string, n)
	for i := range ls {
		ls[i] = fmt.Sprintf("line %d\n", i)
	}
	return ls
}

func TestLargeTextFewChanges(t *testing.T) {
	t.Parallel()
	before := numbered(4 * edits.MaxCompared)
	after := append([]string{"first\n"}, before...)
	after[edits.MaxCompared] = "middle\n"
	after = append(after, "last\n")
	d, err := edits.Unified("a", []byte(strings.Join(before, "")), []byte(strings.Join(after, "")), 3)
	if err != nil {
		t.Fatal(err)
	}
	if d.WholeFile || d.Added != 3 || d.Deleted != 1 || strings.Count(d.Text, "@@ -") != 3 {
		t.Errorf("+%d -%d, whole %v, %d hunks: want +3 -1 in 3 hunks", d.Added, d.Deleted, d.WholeFile, strings.Count(d.Text, "@@ -"))
	}
}

// Lines that all occur often leave nothing to split at.
func TestTooLargeToCompare(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []byte {
		var w strings.Builder
		w.WriteString("head\n")
		for range edits.MaxCompared {
			fmt.Fprintf(&w, "%d\n", r.IntN(9))
		}
		w.WriteString("tail\n")
		return []byte(w.String())
	}
	before, after := text(), text()
	d, err := edits.Unified("a", before, after, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !d.WholeFile || strings.Count(d.Text, "@@ -") != 1 {
		t.Errorf("whole %v, %d hunks: want one hunk that says so", d.WholeFile, strings.Count(d.Text, "@@ -"))
	}
	gitApply(t, "a", before, after, d.Text)
}

// Over a million distinct lines, more than there are runes.
func TestMoreLinesThanRunes(t *testing.T) {
	if testing.Short() {
		t.Skip("needs some 300 MiB")
	}
	before := numbered(1_200_000)
	after := make([]string, len(before))
	for i, l := range before {
		after[i] = l
		if i%400_000 == 0 {
			after[i] = "x" + l
		}
	}
	d, err := edits.Unified("a", []byte(strings.Join(before, "")), []byte(strings.Join(after, "")), 0)
	if err != nil || d.Added != 3 || d.Deleted != 3 || d.WholeFile {
		t.Errorf("+%d -%d, whole %v, %v: want 3 lines changed", d.Added, d.Deleted, d.WholeFile, err)
	}
}
