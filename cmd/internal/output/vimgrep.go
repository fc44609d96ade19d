package output

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"lspbridge/cmd/internal/terminal"
)

// An item is what vimgrep needs of a place, a symbol or a file of a preview.
type item struct {
	Path   string // "" outside the workspace
	Line   int
	Column int
	Text   string

	Name      string
	Kind      string
	Container string
	Children  []json.RawMessage

	Diff string
}

func writeVimgrep(w io.Writer, a *Answer, style Style) ([]string, error) {
	if a.items == nil {
		return nil, fmt.Errorf("the answer has no places, so there is no vimgrep of it")
	}
	v := vimgrep{out: bufio.NewWriter(w), style: style}
	list := v.list
	if a.edges != nil {
		list = func(nodes []json.RawMessage) error { return v.graph(nodes, a.edges) }
	}
	if err := list(a.items); err != nil {
		return nil, err
	}
	var notes []string
	if v.outside > 0 {
		notes = append(notes, plural(v.outside, "place")+" outside the workspace not shown")
	}
	if v.items < a.found && a.list == "items" {
		notes = append(notes, fmt.Sprintf("%d of %d are on this page", v.items, a.found))
	}
	return notes, v.out.Flush()
}

type vimgrep struct {
	out     *bufio.Writer // keeps the first error
	style   Style
	items   int // met, those inside others and those outside included
	outside int
}

func (v *vimgrep) list(items []json.RawMessage) error {
	for _, raw := range items {
		var it item
		if err := json.Unmarshal(raw, &it); err != nil {
			return fmt.Errorf("structured answer: %w", err)
		}
		v.items++
		switch {
		case it.Path == "":
			v.outside++
		case it.Diff != "":
			for _, line := range hunks(it.Diff) {
				v.line(it.Path, line, 1, "formatting differs")
			}
		case it.Line > 0:
			v.line(it.Path, it.Line, it.Column, it.label())
		}
		if err := v.list(it.Children); err != nil {
			return err
		}
	}
	return nil
}

// graph writes a line for each call site of a graph of calls, and for each edge of
// one of types a line at the subtype.
func (v *vimgrep) graph(nodes, edges []json.RawMessage) error {
	type node struct {
		ID string
		item
	}
	byID := map[string]node{}
	for _, raw := range nodes {
		var n node
		if err := json.Unmarshal(raw, &n); err != nil {
			return fmt.Errorf("structured answer: %w", err)
		}
		byID[n.ID] = n
	}
	for _, raw := range edges {
		var e struct {
			From, To string
			Sites    []struct{ Line, Column int }
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			return fmt.Errorf("structured answer: %w", err)
		}
		from, label := byID[e.From], byID[e.From].Name+" -> "+byID[e.To].Name
		switch {
		case from.Path == "":
			v.outside += max(1, len(e.Sites))
		case len(e.Sites) == 0:
			v.line(from.Path, from.Line, from.Column, label)
		}
		for _, s := range e.Sites {
			if from.Path != "" {
				v.line(from.Path, s.Line, s.Column, label)
			}
		}
	}
	return nil
}

// label is the source line, or for a symbol without one what it is.
func (it item) label() string {
	if it.Text != "" || it.Name == "" {
		return it.Text
	}
	return strings.TrimSpace(it.Kind + " " + it.Name)
}

// line writes one line; a name or a text cannot start another.
func (v *vimgrep) line(path string, line, column int, text string) {
	breaks := strings.NewReplacer("\n", `\n`, "\r", `\r`)
	path, text = breaks.Replace(path), breaks.Replace(text)
	if v.style.Terminal {
		path, text = terminal.Line(path), terminal.Sanitize(text)
	}
	fmt.Fprintf(v.out, "%s:%d:%d:%s\n", path, line, column, text)
}

// hunks returns the first changed line, in the old text, of each hunk of a
// unified diff.
func hunks(diff string) []int {
	var lines []int
	line, open := 0, false
	for text := range strings.Lines(diff) {
		if start, ok := hunkStart(text); ok {
			line, open = start, true
			continue
		}
		switch {
		case !open:
		case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "+"):
			lines, open = append(lines, max(line, 1)), false
		case strings.HasPrefix(text, " "):
			line++
		}
	}
	return lines
}

// hunkStart reads "@@ -12,7 +12,8 @@". In a hunk without old lines ("-12,0")
// the text stands after line 12.
func hunkStart(text string) (line int, ok bool) {
	if !strings.HasPrefix(text, "@@ -") {
		return 0, false
	}
	var count int
	old, _, _ := strings.Cut(text[len("@@ -"):], " ")
	if n, _ := fmt.Sscanf(old, "%d,%d", &line, &count); n == 0 {
		return 0, false
	} else if n == 2 && count == 0 {
		line++
	}
	return line, true
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
