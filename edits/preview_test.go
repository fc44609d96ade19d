package edits_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/edits"
	"lspbridge/lspclient/textpos"
)

func TestPreview(t *testing.T) {
	before := []byte("one\ntwo\nthree\n")
	p, err := edits.NewPreview("a.txt", before, []textpos.Edit{
		{Start: 8, End: 13, New: "3"},
		{Start: 4, End: 4},
		{Start: 4, End: 4, New: "new\n"},
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(p.After), "one\nnew\ntwo\n3\n"; got != want {
		t.Errorf("After = %q, want %q", got, want)
	}
	if diff := cmp.Diff([]textpos.Edit{{Start: 4, End: 4, New: "new\n"}, {Start: 8, End: 13, New: "3"}}, p.Edits); diff != "" {
		t.Errorf("Edits (-want +got):\n%s", diff)
	}
	if p.InsertedBytes != 5 || p.DeletedBytes != 5 || p.NothingToDo || p.Path != "a.txt" {
		t.Errorf("inserted %d, deleted %d, nothing to do %v, path %q", p.InsertedBytes, p.DeletedBytes, p.NothingToDo, p.Path)
	}
	if p.Diff.Added != 2 || p.Diff.Deleted != 1 {
		t.Errorf("diff +%d -%d, want +2 -1", p.Diff.Added, p.Diff.Deleted)
	}
}

func TestPreviewNothingToDo(t *testing.T) {
	before := []byte("one\r\ntwo\r\n")
	for name, es := range map[string][]textpos.Edit{
		"no edits":                  nil,
		"all empty":                 {{Start: 4, End: 4}, {Start: 9, End: 9}},
		"puts back what it takes":   {{Start: 0, End: 3, New: "one"}},
		"the whole text once more":  {{Start: 0, End: 10, New: "one\r\ntwo\r\n"}},
		"two that undo one another": {{Start: 0, End: 1}, {Start: 0, End: 0, New: "o"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := edits.NewPreview("a", before, es, 3)
			if err != nil {
				t.Fatal(err)
			}
			if !p.NothingToDo || p.Diff != (edits.Diff{}) || len(p.Edits) != 0 || p.InsertedBytes+p.DeletedBytes != 0 {
				t.Errorf("preview = %+v, want nothing to do", p)
			}
			if string(p.After) != string(before) {
				t.Errorf("After = %q", p.After)
			}
		})
	}
}

func TestPreviewRefuses(t *testing.T) {
	_, err := edits.NewPreview("a", []byte("x"), []textpos.Edit{{Start: 0, End: 2}}, 3)
	if err == nil || !strings.Contains(err.Error(), "edit 1 of 1") {
		t.Errorf("error = %v, want one that names the edit", err)
	}
	if _, err := edits.NewPreview("/a", []byte("x"), []textpos.Edit{{Start: 0, End: 1}}, 3); err == nil {
		t.Error("absolute path accepted")
	}
}

// Whatever differs in a change differs in its digest, also where the parts
// joined without their lengths would read the same.
func TestDigest(t *testing.T) {
	e := func(start, end int, text string) textpos.Edit { return textpos.Edit{Start: start, End: end, New: text} }
	changes := []struct {
		path, before string
		es           []textpos.Edit
	}{
		{"a", "text", nil},
		{"b", "text", nil},
		{"a", "text2", nil},
		{"a", "", nil},
		{"", "", nil},
		{"a", "text", []textpos.Edit{e(0, 1, "x")}},
		{"a", "text", []textpos.Edit{e(0, 1, "y")}},
		{"a", "text", []textpos.Edit{e(0, 2, "x")}},
		{"a", "text", []textpos.Edit{e(1, 1, "x")}},
		{"a", "text", []textpos.Edit{e(0, 1, "x"), e(2, 3, "")}},
		{"a", "text", []textpos.Edit{e(1, 1, "ab"), e(1, 1, "c")}},
		{"a", "text", []textpos.Edit{e(1, 1, "a"), e(1, 1, "bc")}},
		{"a", "text", []textpos.Edit{e(1, 1, "bc"), e(1, 1, "a")}},
	}
	seen := make(map[string]int)
	for i, c := range changes {
		d := edits.Digest(c.path, []byte(c.before), c.es)
		if other, ok := seen[d]; ok {
			t.Errorf("changes %d and %d share the digest %s", other, i, d)
		}
		if len(d) != 64 || strings.Trim(d, "0123456789abcdef") != "" {
			t.Errorf("digest %q is not 64 hexadecimal digits", d)
		}
		if again := edits.Digest(c.path, []byte(c.before), c.es); again != d {
			t.Errorf("digest of change %d is %s, then %s", i, d, again)
		}
		seen[d] = i
	}
}
