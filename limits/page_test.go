package limits_test

import (
	"math"
	"testing"

	"lspbridge/limits"
)

func TestPage(t *testing.T) {
	tests := []struct {
		name               string
		sizes              []int
		maxItems, maxChars int
		want               int
	}{
		{"nothing", nil, 10, 10, 0},
		{"all fit", []int{1, 2, 3}, 10, 6, 3},
		{"one character over", []int{1, 2, 3}, 10, 5, 2},
		{"items end first", []int{1, 1, 1}, 2, 100, 2},
		{"a huge first item still moves on", []int{1000, 1}, 10, 10, 1},
		{"a huge later item waits", []int{1, 1000, 1}, 10, 10, 1},
		{"empty items are free", []int{10, 0, 0, 1}, 10, 10, 3},
		{"no room at all", []int{5, 5}, 0, 0, 1},
		{"negative bounds", []int{5, 5}, -1, -1, 1},
		{"sum would overflow", []int{math.MaxInt, math.MaxInt}, 10, math.MaxInt, 1},
		{"negative sizes count as none", []int{-5, 10, 1}, 10, 10, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := limits.Page(len(tt.sizes), tt.maxItems, tt.maxChars, func(i int) int { return tt.sizes[i] })
			if got != tt.want {
				t.Errorf("Page = %d, want %d", got, tt.want)
			}
		})
	}
}

// A page of a million items looks at those of the page and one more.
func TestPageLooksNoFurther(t *testing.T) {
	asked := 0
	if got := limits.Page(1_000_000, 5000, 30, func(int) int { asked++; return 10 }); got != 3 {
		t.Errorf("Page = %d, want 3", got)
	}
	if asked != 4 {
		t.Errorf("asked about %d items, want 4", asked)
	}
	if limits.Page(-1, 1, 1, func(int) int { panic("asked") }) != 0 {
		t.Error("a negative number of items is not an empty page")
	}
}
