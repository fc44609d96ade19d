package lspclient

import (
	"testing"
	"time"
)

// TestBackoff: half a second to half a minute, longer after each run in a row that
// served no answer, and none after an answer.
func TestBackoff(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for range 100 {
		var r restarts
		if d := r.backoff(); d != 0 {
			t.Fatalf("%v before the first run", d)
		}
		for i, most := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second} {
			r.barren(now)
			if d := r.backoff(); d < most/2 || d > most {
				t.Fatalf("%v after %d runs, want %v to %v", d, i+1, most/2, most)
			}
		}
		for range 100 {
			r.barren(now)
		}
		if d := r.backoff(); d < mostBackoff/2 || d > mostBackoff {
			t.Fatalf("%v after very many runs", d)
		}
		r.served()
		if d := r.backoff(); d != 0 {
			t.Fatalf("%v after an answer", d)
		}
	}
}

// TestGivenUp: five runs without an answer inside three minutes are enough; from
// then on one start a minute.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	const window, most = 3 * time.Minute, 5
	start := time.Now()
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	var r restarts
	check := func(seconds int, want bool) {
		t.Helper()
		retry, given := r.givenUp(at(seconds), window, most)
		if given != want || given && retry.Before(at(seconds)) {
			t.Errorf("at %d s: given up %v until %v, want %v", seconds, given, retry.Sub(start), want)
		}
	}
	for i := range 4 {
		r.barren(at(10 * i))
	}
	check(31, false)
	r.barren(at(40))
	check(41, true)
	check(99, true)
	check(100, false) // the probe
	r.barren(at(101))
	check(102, true)
	check(160, true)
	check(161, false)
	// The window moves on.
	r.barren(at(162))
	check(163, true)
	check(400, false)
	r.barren(at(401))
	check(402, false)
}
