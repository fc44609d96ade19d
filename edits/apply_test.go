package edits_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/edits"
	"lspbridge/lspclient/textpos"
)

// The text of the tables: a letter's offset is its place in the alphabet.
const alphabet = "abcdefghij"

func TestApply(t *testing.T) {
	tests := []struct {
		name string
		es   []textpos.Edit
		want string
	}{
		{"none", nil, "abcdefghij"},
		{"replace", []textpos.Edit{{Start: 2, End: 4, New: "XYZ"}}, "abXYZefghij"},
		{"delete", []textpos.Edit{{Start: 2, End: 4}}, "abefghij"},
		{"insert", []textpos.Edit{{Start: 2, End: 2, New: "X"}}, "abXcdefghij"},
		{"insert at both ends", []textpos.Edit{{Start: 10, End: 10, New: "Z"}, {New: "A"}}, "AabcdefghijZ"},
		{"all of it", []textpos.Edit{{End: 10, New: "X"}}, "X"},
		{"unsorted", []textpos.Edit{{Start: 8, End: 9, New: "8"}, {Start: 1, End: 2, New: "1"}, {Start: 5, End: 5, New: "5"}}, "a1cde5fgh8j"},
		{"touching", []textpos.Edit{{Start: 4, End: 6, New: "Y"}, {Start: 2, End: 4, New: "X"}}, "abXYghij"},
		{"inserts at one place keep order", []textpos.Edit{{Start: 3, End: 3, New: "1"}, {Start: 3, End: 3, New: "2"}, {Start: 3, End: 3, New: "3"}}, "abc123defghij"},
		{"insert before a replacement's start", []textpos.Edit{{Start: 3, End: 3, New: "1"}, {Start: 3, End: 5, New: "R"}}, "abc1Rfghij"},
		{"the same, given behind it", []textpos.Edit{{Start: 3, End: 5, New: "R"}, {Start: 3, End: 3, New: "1"}}, "abc1Rfghij"},
		{"inserts around a deletion", []textpos.Edit{{Start: 5, End: 5, New: "2"}, {Start: 3, End: 5}, {Start: 3, End: 3, New: "1"}}, "abc12fghij"},
		{"long replacements keep the order of their starts", []textpos.Edit{{Start: 3, End: 9, New: "R"}, {Start: 0, End: 3, New: "L"}}, "LRj"},
		{"empty ones are dropped", []textpos.Edit{{Start: 3, End: 3}, {Start: 0, End: 0}, {Start: 10, End: 10}}, "abcdefghij"},
		{"an empty one inside a replacement does no harm", []textpos.Edit{{Start: 2, End: 6, New: "R"}, {Start: 4, End: 4}}, "abRghij"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			given := append([]textpos.Edit(nil), tt.es...)
			normal, err := edits.Normalize(len(alphabet), tt.es)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(given, append([]textpos.Edit(nil), tt.es...)); diff != "" {
				t.Errorf("Normalize changed its argument (-before +after):\n%s", diff)
			}
			for _, e := range normal {
				if e.Start == e.End && e.New == "" {
					t.Errorf("empty edit kept: %+v", e)
				}
			}
			text := []byte(alphabet)
			got, err := edits.Apply(text, normal)
			if err != nil || string(got) != tt.want {
				t.Errorf("Apply = %q, %v, want %q", got, err, tt.want)
			}
			if string(text) != alphabet {
				t.Errorf("Apply changed its argument to %q", text)
			}
			again, err := edits.Normalize(len(alphabet), normal)
			if diff := cmp.Diff(normal, again); diff != "" || err != nil {
				t.Errorf("Normalize is not stable (-once +twice): %v\n%s", err, diff)
			}
		})
	}
}

func TestNormalizeRefuses(t *testing.T) {
	fine := textpos.Edit{Start: 0, End: 1, New: "x"}
	tests := []struct {
		name string
		es   []textpos.Edit
		want []string
	}{
		{"reversed", []textpos.Edit{fine, {Start: 4, End: 3, New: "x"}}, []string{"edit 2 of 2", "reversed"}},
		{"past the end", []textpos.Edit{fine, fine, {Start: 9, End: 11}}, []string{"edit 3 of 3", "outside", "10 bytes"}},
		{"wholly past the end", []textpos.Edit{{Start: 11, End: 11, New: "x"}}, []string{"edit 1 of 1", "outside"}},
		{"before the start", []textpos.Edit{{Start: -1, End: 1}}, []string{"edit 1 of 1", "outside"}},
		{"empty and outside", []textpos.Edit{{Start: 12, End: 12}}, []string{"edit 1 of 1", "outside"}},
		{"largest", []textpos.Edit{{Start: 0, End: math.MaxInt}}, []string{"edit 1 of 1", "outside"}},
		{"smallest", []textpos.Edit{{Start: math.MinInt, End: 0}}, []string{"edit 1 of 1", "outside"}},
		{"overlap", []textpos.Edit{{Start: 4, End: 7}, fine, {Start: 2, End: 5}}, []string{"edit 1 of 3", "overlaps edit 3 of 3"}},
		{"twice the same", []textpos.Edit{{Start: 2, End: 5, New: "x"}, {Start: 2, End: 5, New: "x"}}, []string{"edit 2 of 2", "overlaps edit 1"}},
		{"one inside another", []textpos.Edit{{Start: 2, End: 8}, {Start: 4, End: 5}}, []string{"edit 2 of 2", "overlaps edit 1"}},
		{"insert inside a replacement", []textpos.Edit{{Start: 4, End: 4, New: "x"}, {Start: 2, End: 8}}, []string{"edit 1 of 2", "overlaps edit 2"}},
		{"replacement, insert at its start, overlap", []textpos.Edit{{Start: 2, End: 3}, {Start: 2, End: 2, New: "x"}, {Start: 2, End: 4}}, []string{"edit 3 of 3", "overlaps edit 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := edits.Normalize(len(alphabet), tt.es)
			if err == nil {
				t.Fatalf("Normalize = %+v, want an error", got)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}

func TestApplyRefusesWhatIsNotNormal(t *testing.T) {
	for name, es := range map[string][]textpos.Edit{
		"unsorted": {{Start: 5, End: 6}, {Start: 1, End: 2}},
		"overlap":  {{Start: 1, End: 4}, {Start: 3, End: 6}},
		"outside":  {{Start: 1, End: 11}},
		"negative": {{Start: -1, End: 1}},
		"reversed": {{Start: 2, End: 1}},
	} {
		if got, err := edits.Apply([]byte(alphabet), es); err == nil {
			t.Errorf("%s: Apply = %q, want an error", name, got)
		}
	}
}

// naiveApply is the rule spelt out byte by byte: at each place first what is
// inserted there, in the given order, then the replacement that starts there. It
// reports false when the edits contradict each other.
func naiveApply(text string, es []textpos.Edit) (string, bool) {
	owner := make([]int, len(text)) // 1 + index of the edit that takes the byte
	for i, e := range es {
		if e.Start < 0 || e.Start > e.End || e.End > len(text) {
			return "", false
		}
		for at := e.Start; at < e.End; at++ {
			if owner[at] != 0 {
				return "", false
			}
			owner[at] = i + 1
		}
	}
	var w strings.Builder
	for at := 0; at <= len(text); at++ {
		for _, e := range es {
			if e.Start == at && e.End == at && e.New != "" {
				if at > 0 && at < len(text) && owner[at] != 0 && owner[at] == owner[at-1] {
					return "", false // inside a replacement
				}
				w.WriteString(e.New)
			}
		}
		for _, e := range es {
			if e.Start == at && e.End > at {
				w.WriteString(e.New)
			}
		}
		if at < len(text) && owner[at] == 0 {
			w.WriteByte(text[at])
		}
	}
	return w.String(), true
}

// decode makes edits of a fuzzer's bytes: start, length and text of each.
func decode(data []byte) []textpos.Edit {
	var es []textpos.Edit
	for ; len(data) >= 3 && len(es) < 40; data = data[3:] {
		start := int(int8(data[0]))
		es = append(es, textpos.Edit{
			Start: start,
			End:   start + int(data[1]%8) - 1 + int(data[1]>>7),
			New:   strings.Repeat(string(rune('A'+len(es)%26)), int(data[2]%4)),
		})
	}
	return es
}

func FuzzApply(f *testing.F) {
	f.Add(alphabet, []byte{2, 3, 1})
	f.Add(alphabet, []byte{3, 1, 1, 3, 1, 2, 3, 3, 1})
	f.Add(alphabet, []byte{3, 4, 1, 5, 4, 1})
	f.Add(alphabet, []byte{8, 2, 1, 1, 2, 1, 5, 1, 0})
	f.Add("", []byte{0, 1, 3})
	f.Add(alphabet, []byte{4, 1, 1, 2, 6, 1})
	f.Fuzz(func(t *testing.T, text string, data []byte) {
		if len(text) > 200 {
			return
		}
		es := decode(data)
		want, ok := naiveApply(text, es)
		normal, err := edits.Normalize(len(text), es)
		if ok != (err == nil) {
			t.Fatalf("Normalize(%d, %+v): %v, want it to accept: %v", len(text), es, err, ok)
		}
		if err != nil {
			return
		}
		got, err := edits.Apply([]byte(text), normal)
		if err != nil || string(got) != want {
			t.Fatalf("Apply(%q, %+v) = %q, %v, want %q", text, es, got, err, want)
		}
	})
}
