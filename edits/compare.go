package edits

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// MaxCompared bounds a comparison line by line: so many lines of both texts
// together, between the first and the last difference. Larger texts are first
// split at the lines that they share and that occur once in each; a part for
// which the work is still too much is shown as replaced. The work may grow with
// the square of that number.
const MaxCompared = 20_000

// A span is the lines [start, end) of a text, 0-based.
type span struct{ start, end int }

func (s span) len() int { return s.end - s.start }

// A change replaces the lines a of the text before by the lines b of the text
// after; one of the two may be empty.
type change struct{ a, b span }

// lines splits text behind each "\n".
func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	ls := strings.SplitAfter(string(text), "\n")
	if ls[len(ls)-1] == "" {
		ls = ls[:len(ls)-1]
	}
	return ls
}

// compare returns the changes that lead from a to b, in order, with at least one
// common line between two. coarse is true when a part of the texts was too large
// to compare and one change replaces it.
func compare(a, b []string) (changes []change, coarse bool) {
	c := comparison{a: a, b: b, work: MaxCompared * MaxCompared}
	all := c.trim(change{span{0, len(a)}, span{0, len(b)}})
	if all.a.len()+all.b.len() <= MaxCompared {
		c.part(all)
	} else {
		at := all
		for _, shared := range anchors(a, b, all) {
			at.a.end, at.b.end = shared.a.start, shared.b.start
			c.part(at)
			at.a.start, at.b.start = shared.a.end, shared.b.end
		}
		at.a.end, at.b.end = all.a.end, all.b.end
		c.part(at)
	}
	// What is shown must be true, whatever the comparison made of the texts.
	if !leads(a, b, c.changes) {
		return []change{all}, true
	}
	return c.changes, c.coarse
}

// A comparison collects the changes between two texts.
type comparison struct {
	a, b    []string
	work    int // squares of line numbers that may still be compared
	changes []change
	coarse  bool
}

// trim takes the common lines off both ends of a part.
func (c *comparison) trim(p change) change {
	for p.a.len() > 0 && p.b.len() > 0 && c.a[p.a.start] == c.b[p.b.start] {
		p.a.start++
		p.b.start++
	}
	for p.a.len() > 0 && p.b.len() > 0 && c.a[p.a.end-1] == c.b[p.b.end-1] {
		p.a.end--
		p.b.end--
	}
	return p
}

// part adds the changes of one part of the texts.
func (c *comparison) part(p change) {
	p = c.trim(p)
	n := p.a.len() + p.b.len()
	switch {
	case n == 0:
	case p.a.len() == 0 || p.b.len() == 0:
		c.changes = append(c.changes, p)
	case n > MaxCompared || n*n > c.work:
		c.coarse = true
		c.changes = append(c.changes, p)
	default:
		c.work -= n * n
		for _, s := range script(c.a[p.a.start:p.a.end], c.b[p.b.start:p.b.end]) {
			c.changes = append(c.changes, change{
				span{s.a.start + p.a.start, s.a.end + p.a.start},
				span{s.b.start + p.b.start, s.b.end + p.b.start},
			})
		}
	}
}

// script compares lines by go-diff, which takes each distinct line for one rune.
func script(a, b []string) []change {
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the clock must not decide what a diff looks like
	x, y, _ := dmp.DiffLinesToRunes(strings.Join(a, ""), strings.Join(b, ""))
	var changes []change
	var at change // from the last common line on
	for _, d := range dmp.DiffMainRunes(x, y, false) {
		n := utf8.RuneCountInString(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			at.a.end += n
		case diffmatchpatch.DiffInsert:
			at.b.end += n
		case diffmatchpatch.DiffEqual:
			if n == 0 {
				continue
			}
			if at.a.len()+at.b.len() > 0 {
				changes = append(changes, at)
			}
			at = change{span{at.a.end + n, at.a.end + n}, span{at.b.end + n, at.b.end + n}}
		}
	}
	if at.a.len()+at.b.len() > 0 {
		changes = append(changes, at)
	}
	return changes
}

// leads reports whether the changes turn a into b: they are in order, and all
// between them is equal.
func leads(a, b []string, changes []change) bool {
	end := change{span{len(a), len(a)}, span{len(b), len(b)}}
	var at change
	for _, c := range append(slices.Clone(changes), end) {
		if c.a.start < at.a.end || c.b.start < at.b.end || c.a.len() < 0 || c.b.len() < 0 ||
			c.a.end > len(a) || c.b.end > len(b) ||
			!slices.Equal(a[at.a.end:c.a.start], b[at.b.end:c.b.start]) {
			return false
		}
		at = c
	}
	return true
}
