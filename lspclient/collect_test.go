package lspclient

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCollectorKeepsTheWorst(t *testing.T) {
	c := newCollector()
	if got := c.done(); got.State != Complete || len(got.Reasons) != 0 {
		t.Errorf("nothing noted: %+v", got)
	}
	c.waited, c.gen = 1500*time.Millisecond, 3
	c.unknown("z")
	c.partial("b")
	c.partial("b")
	want := Completeness{State: Unknown, Reasons: []string{"b", "z"}, WaitedMS: 1500, Generation: 3}
	if diff := cmp.Diff(want, c.done()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMerge(t *testing.T) {
	got := Merge(
		Completeness{State: Complete, WaitedMS: 10, Generation: 2},
		Completeness{State: Partial, Reasons: []string{"y", "x"}, WaitedMS: 5, Generation: 1},
		Completeness{State: Partial, Reasons: []string{"x"}},
	)
	want := Completeness{State: Partial, Reasons: []string{"x", "y"}, WaitedMS: 10, Generation: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := Merge(); got.State != Complete {
		t.Errorf("Merge() = %v, want complete", got.State)
	}
}
