package lspclient

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// A collector gathers the reasons why an answer may be short.
type collector struct {
	state   State
	reasons map[string]bool
	waited  time.Duration
	gen     int
	indexed bool // the server's index is whole; places outside open files can be believed
}

func newCollector() *collector {
	return &collector{state: Complete, reasons: map[string]bool{}, indexed: true}
}

// partial notes that places may be missing, and why.
func (c *collector) partial(reason string) { c.worsen(Partial, reason) }

// unknown notes that nobody said whether places are missing.
func (c *collector) unknown(reason string) { c.worsen(Unknown, reason) }

func (c *collector) worsen(s State, reason string) {
	if rank(s) > rank(c.state) {
		c.state = s
	}
	c.reasons[reason] = true
}

// rank orders states from best to worst.
func rank(s State) int {
	switch s {
	case Complete:
		return 0
	case Partial:
		return 1
	default:
		return 2
	}
}

func (c *collector) done() Completeness {
	return Completeness{State: c.state, Reasons: sortedKeys(c.reasons), WaitedMS: c.waited.Milliseconds(), Generation: c.gen}
}

// Merge joins the completeness of the parts of one answer: the worst state, all
// reasons, the longest wait, the latest generation.
func Merge(parts ...Completeness) Completeness {
	out := Completeness{State: Complete}
	reasons := map[string]bool{}
	for _, p := range parts {
		if rank(p.State) > rank(out.State) {
			out.State = p.State
		}
		for _, r := range p.Reasons {
			reasons[r] = true
		}
		out.WaitedMS = max(out.WaitedMS, p.WaitedMS)
		out.Generation = max(out.Generation, p.Generation)
	}
	out.Reasons = sortedKeys(reasons)
	return out
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
