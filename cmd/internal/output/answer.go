package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"lspbridge/tools"
)

// An Answer is a tool's answer, decoded as far as renderers and exit codes need.
type Answer struct {
	text    string
	members []member // of the structured answer, in its order
	items   []json.RawMessage
	list    string            // the name of the member that holds items
	files   bool              // items are the files of a preview
	edges   []json.RawMessage // between items, which are the nodes of a graph then

	found int
	next  string // cursor of the next page, "" on the last
	whole completeness
}

// A member is one member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// NewAnswer decodes the answer r, which is not an error.
func NewAnswer(r tools.Result) (*Answer, error) {
	a := &Answer{text: r.Text}
	var err error
	if a.members, err = membersOf(r.Structured); err != nil {
		return nil, fmt.Errorf("structured answer: %w", err)
	}
	var known struct {
		Items        *[]json.RawMessage
		Files        *[]json.RawMessage
		Nodes        *[]json.RawMessage
		Edges        []json.RawMessage
		Roots        []string
		Total        *int
		Counts       *severityCounts
		Text         *string
		NextCursor   string `json:"next_cursor"`
		Completeness completeness
	}
	if err := json.Unmarshal(r.Structured, &known); err != nil {
		return nil, fmt.Errorf("structured answer: %w", err)
	}
	a.next, a.whole = known.NextCursor, known.Completeness
	switch {
	case known.Items != nil:
		a.items, a.list = *known.Items, "items"
		a.found = len(a.items)
		switch {
		case known.Counts != nil:
			a.found = known.Counts.sum()
		case known.Total != nil:
			a.found = *known.Total
		}
	case known.Files != nil:
		a.items, a.list, a.files = *known.Files, "files", true
		for _, raw := range a.items {
			var file struct{ Diff string }
			if err := json.Unmarshal(raw, &file); err != nil {
				return nil, fmt.Errorf("structured answer: %w", err)
			}
			if file.Diff != "" {
				a.found++
			}
		}
	case known.Nodes != nil:
		a.items, a.list, a.edges = *known.Nodes, "nodes", known.Edges
		a.found = len(a.items) - len(known.Roots)
		if a.found == 0 {
			a.found = len(a.edges) // one that calls itself
		}
	case known.Text != nil && *known.Text != "":
		a.found = 1
	}
	return a, nil
}

// Found is how many items the whole answer has, those on other pages included;
// for a hover 1 or 0, for a preview the files that would change, for diagnostics
// the problems, for a hierarchy what is beside the roots.
func (a *Answer) Found() int { return a.found }

// State is the answer's completeness, "" where it has none.
func (a *Answer) State() string { return a.whole.State }

// Reasons say why the answer is not complete.
func (a *Answer) Reasons() []string { return a.whole.Reasons }

// NextCursor is the cursor of the page behind a, "" when there is none.
func (a *Answer) NextCursor() string { return a.next }

// Append adds the page behind a list, so that both are one page.
func (a *Answer) Append(next *Answer) error {
	a.text += "\n" + next.text
	a.items, a.next = append(a.items, next.items...), next.next
	items, err := encode(a.items)
	if err != nil {
		return fmt.Errorf("items: %w", err)
	}
	// All else but the cursor is the same on every page of an answer.
	var merged []member
	for _, m := range a.members {
		switch m.name {
		case "items":
			m.value = items
		case "next_cursor":
			continue
		}
		merged = append(merged, m)
	}
	if a.next != "" {
		cursor, err := encode(a.next)
		if err != nil {
			return fmt.Errorf("next_cursor: %w", err)
		}
		merged = append(merged, member{"next_cursor", cursor})
	}
	a.members = merged
	return nil
}

// Join adds the answer of the same question about other files, so that both are
// one answer: counts are added up, and it is as complete as the less complete one.
func (a *Answer) Join(other *Answer) error {
	for i, m := range a.members {
		j := slices.IndexFunc(other.members, func(o member) bool { return o.name == m.name })
		if j < 0 {
			continue
		}
		value, err := joined(m.value, other.members[j].value)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		a.members[i].value = value
	}
	a.text += "\n" + other.text
	a.items = append(a.items, other.items...)
	a.found += other.found
	a.whole = a.whole.merge(other.whole)
	for i, m := range a.members {
		if m.name == "completeness" {
			value, err := encode(a.whole)
			if err != nil {
				return fmt.Errorf("completeness: %w", err)
			}
			a.members[i].value = value
		}
	}
	return nil
}

// joined puts two values of a member together: lists one behind the other, numbers
// added, objects member by member; of anything else the first stays.
func joined(a, b json.RawMessage) (json.RawMessage, error) {
	var lists [2][]json.RawMessage
	if json.Unmarshal(a, &lists[0]) == nil && json.Unmarshal(b, &lists[1]) == nil {
		return encode(append(lists[0], lists[1]...))
	}
	var numbers [2]int
	if json.Unmarshal(a, &numbers[0]) == nil && json.Unmarshal(b, &numbers[1]) == nil {
		return encode(numbers[0] + numbers[1])
	}
	var counts [2]map[string]int
	if json.Unmarshal(a, &counts[0]) == nil && json.Unmarshal(b, &counts[1]) == nil {
		for name, n := range counts[1] {
			counts[0][name] += n
		}
		return encode(counts[0])
	}
	return a, nil
}

// severityCounts are the numbers of problems in an answer of diagnostics.
type severityCounts map[string]int

func (c severityCounts) sum() (n int) {
	for _, count := range c {
		n += count
	}
	return n
}

// membersOf splits a JSON object into its members and keeps their order.
func membersOf(object json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if tok != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var list []member
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: tok.(string)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	_, err = dec.Token()
	return list, err
}
