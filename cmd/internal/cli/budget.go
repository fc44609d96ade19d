package cli

import (
	"strings"
	"time"

	"lspbridge/limits"
)

// budget returns the limits of a run that serves: the defaults and what --limit
// changed.
func (f *placeFlags) budget() (limits.Budget, error) {
	b := limits.Default()
	return b, f.set(&b)
}

// askBudget returns the limits of one question: --timeout bounds the whole and
// raises what waits within it; --limit goes over both. paged reports whether a
// --limit asks for one page instead of the whole answer.
func (f *placeFlags) askBudget(timeout time.Duration) (b limits.Budget, paged bool, err error) {
	b = limits.Default()
	if err := b.SetCommandTimeout(timeout); err != nil {
		return b, false, usage("durations are written like 90s or 10m", "%v", err)
	}
	// A page that is asked for by items is not cut by size as well.
	b.MaxChars = b.ResponseChars
	for _, l := range f.limits {
		name, _, _ := strings.Cut(l, "=")
		paged = paged || name == "max_items" || name == "max_chars"
	}
	return b, paged, f.set(&b)
}

func (f *placeFlags) set(b *limits.Budget) error {
	for _, l := range f.limits {
		name, value, ok := strings.Cut(l, "=")
		if !ok {
			return usage("write --limit NAME=VALUE, as in --limit max_items=50", "the limit %q has no value", l)
		}
		if err := b.Set(name, value); err != nil {
			return usage("lspbridge doctor lists the limits", "%v", err)
		}
	}
	return nil
}
