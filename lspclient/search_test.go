package lspclient

import "testing"

func TestHoldsWord(t *testing.T) {
	for _, tt := range []struct {
		text, word string
		want       bool
	}{
		{"Old", "Old", true}, {"x.Old()", "Old", true}, {"Older", "Old", false}, {"GoldOld", "Old", false},
		{"Older Old", "Old", true}, {"OldOld", "Old", false}, {"OldOld Old", "Old", true}, {"éOld", "Old", false},
		{"é Old", "Old", true}, {"Old\xff", "Old", true}, {"DOMContentLoaded", "Load", false}, {"", "Old", false},
		{"Old", "", false}, {"a~Shape()", "~Shape", true}, {"aaa", "aa", false}, {"operator+=", "operator+", true},
	} {
		if got := holdsWord([]byte(tt.text), []byte(tt.word)); got != tt.want {
			t.Errorf("holdsWord(%q, %q) = %v, want %v", tt.text, tt.word, got, tt.want)
		}
	}
}
