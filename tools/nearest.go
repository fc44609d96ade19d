package tools

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxNearRunes bounds the names that are compared, since the comparison is
// quadratic.
const maxNearRunes = 64

// nearest returns at most max of the names that are close to name: at most a
// third of its characters differ, ignoring case. The closest come first, equally
// close ones in the order of their bytes; none twice.
func nearest(name string, names []string, max int) []string {
	if utf8.RuneCountInString(name) > maxNearRunes {
		return nil
	}
	want := []rune(strings.ToLower(name))
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, n := range names {
		if utf8.RuneCountInString(n) > maxNearRunes {
			continue
		}
		d := editDistance(want, []rune(strings.ToLower(n)))
		if d <= (len(want)+2)/3 {
			found = append(found, near{n, d})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	found = slices.Compact(found)
	var out []string
	for _, f := range found[:min(max, len(found))] {
		out = append(out, f.name)
	}
	return out
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment).
func editDistance(a, b []rune) int {
	before := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range a {
		cur[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cur[j+1] = min(cur[j+1], before[j-1]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
