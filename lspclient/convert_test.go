package lspclient

import (
	"encoding/json"
	"testing"
)

func TestHoverText(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`"plain"`, "plain"},
		{`{"kind":"markdown","value":"**x**"}`, "**x**"},
		{`{"language":"go","value":"func F()"}`, "```go\nfunc F()\n```"},
		{`[{"language":"go","value":"x"},"doc",""]`, "```go\nx\n```\n\ndoc"},
		{`null`, ""}, {`7`, ""}, {`[]`, ""},
	} {
		if got := hoverText(json.RawMessage(tt.raw)); got != tt.want {
			t.Errorf("hoverText(%s) = %q, want %q", tt.raw, got, tt.want)
		}
	}
}

func TestElementsOf(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		n    int
		fail bool
	}{
		{`null`, 0, false}, {``, 0, false}, {`{"uri":"file:///x"}`, 1, false}, {`[1,{},null]`, 3, false},
		{` [ ] `, 0, false}, {`"text"`, 0, true}, {`[1,`, 0, true},
	} {
		got, err := elementsOf(json.RawMessage(tt.raw))
		if len(got) != tt.n || (err != nil) != tt.fail {
			t.Errorf("elementsOf(%s) = %d elements, error %v", tt.raw, len(got), err)
		}
	}
}

func TestIdentifierAt(t *testing.T) {
	text := []byte("x := größe_1.Foo")
	for _, tt := range []struct {
		offset int
		want   string
	}{{0, "x"}, {1, "x"}, {2, ""}, {5, "größe_1"}, {14, "größe_1"}, {15, "Foo"}, {len(text), "Foo"}, {-1, ""}, {99, ""}} {
		if got := identifierAt(text, tt.offset); got != tt.want {
			t.Errorf("identifierAt(%d) = %q, want %q", tt.offset, got, tt.want)
		}
	}
}

func TestRingKeepsTheTail(t *testing.T) {
	r := &ring{size: 8}
	for _, s := range []string{"abc", "defgh", "", "ijklmnopqrst"} {
		r.write([]byte(s))
	}
	if got := r.tail(100); got != "mnopqrst" {
		t.Errorf("tail = %q, want the last 8 bytes", got)
	}
	if got := r.tail(3); got != "rst" {
		t.Errorf("tail(3) = %q", got)
	}
}
