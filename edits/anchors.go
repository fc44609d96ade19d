package edits

import "sort"

// anchors returns common lines of a part of both texts, in the order of both:
// the longest chain of lines that occur once in each (what "patience diff"
// starts from). It takes n log n steps for n lines.
func anchors(a, b []string, p change) []change {
	type seen struct{ inA, inB, a int }
	count := make(map[string]seen, p.a.len())
	for i := p.a.start; i < p.a.end; i++ {
		s := count[a[i]]
		s.inA++
		s.a = i
		count[a[i]] = s
	}
	for j := p.b.start; j < p.b.end; j++ {
		if s, ok := count[b[j]]; ok {
			s.inB++
			count[b[j]] = s
		}
	}
	// Of each chain of a length, ends holds the one that ends earliest in a.
	type link struct{ a, b, before int }
	var links []link
	var ends []int
	for j := p.b.start; j < p.b.end; j++ {
		s := count[b[j]]
		if s.inA != 1 || s.inB != 1 {
			continue
		}
		n := sort.Search(len(ends), func(i int) bool { return links[ends[i]].a > s.a })
		l := link{s.a, j, -1}
		if n > 0 {
			l.before = ends[n-1]
		}
		links = append(links, l)
		if n == len(ends) {
			ends = append(ends, 0)
		}
		ends[n] = len(links) - 1
	}
	out := make([]change, len(ends))
	if len(ends) == 0 {
		return nil
	}
	at := ends[len(ends)-1]
	for i := len(out) - 1; i >= 0; i-- {
		l := links[at]
		out[i] = change{span{l.a, l.a + 1}, span{l.b, l.b + 1}}
		at = l.before
	}
	return out
}
