package lspclient

import (
	"math/rand/v2"
	"time"
)

const (
	// leastBackoff is the longest wait before the start that follows a run which
	// served no answer; it doubles with each such run in a row up to mostBackoff.
	leastBackoff = 500 * time.Millisecond
	mostBackoff  = 30 * time.Second
	// probeAfter is how long a server that was given up is left alone before it is
	// tried once more.
	probeAfter = 60 * time.Second
)

// restarts decides when a server is started again. Only runs that served no answer
// count: a server that crashes now and then is worth its start. The zero value has
// seen no run.
type restarts struct {
	ends  []time.Time // of runs that served no answer, ascending, inside the window
	inRow int         // of those since the last answer
}

// barren notes the end of a run that served no answer.
func (r *restarts) barren(now time.Time) {
	r.ends = append(r.ends, now)
	r.inRow++
}

// served notes that a run served an answer.
func (r *restarts) served() { r.inRow = 0 }

// backoff returns how long to wait, from the end of the last run on, before the
// next start. It is drawn at random from the upper half of what is due, so that
// bridges that lost their servers together do not start them together.
func (r *restarts) backoff() time.Duration {
	if r.inRow == 0 {
		return 0
	}
	due := mostBackoff
	if shift := r.inRow - 1; shift < 10 {
		due = min(mostBackoff, leastBackoff<<shift)
	}
	return due/2 + rand.N(due/2)
}

// givenUp reports whether most runs inside window served no answer, and when the
// server is tried once more then.
func (r *restarts) givenUp(now time.Time, window time.Duration, most int) (retry time.Time, givenUp bool) {
	for len(r.ends) > 0 && now.Sub(r.ends[0]) > window {
		r.ends = r.ends[1:]
	}
	if len(r.ends) < most {
		return time.Time{}, false
	}
	retry = r.ends[len(r.ends)-1].Add(probeAfter)
	return retry, now.Before(retry)
}
