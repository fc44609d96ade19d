package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"lspbridge/limits"
	"lspbridge/lspclient"
)

// A listing is the ordered answer of a question whose items are paged. Items are
// rendered only as far as the page needs them.
type listing struct {
	heading      string // "references to X (a.go:1:2)"
	noun         string // of the items, plural
	total        int
	atLeast      bool
	completeness completeness
	answer       digest
	note         string // a line after the header; may be empty
	extra        int    // characters that join adds to an item at most
	aside        int    // characters that the answer has beside the page

	// item renders item i for a page that starts at first: its structure, and
	// its lines of text with those of the heading before it, newline-terminated.
	item func(i, first int) (structured any, text string)
	// join makes the page's items into the value of "items"; nil takes them as
	// they are.
	join func(items []any) []any
	// finish adds to the items of a page what has to be asked for; it may be nil.
	finish func(from, to int)
}

// listAnswer is the structured answer of every question that lists something.
type listAnswer struct {
	Items        []any        `json:"items"`
	Total        int          `json:"total"`
	AtLeast      bool         `json:"at_least"`
	Completeness completeness `json:"completeness"`
	NextCursor   string       `json:"next_cursor,omitempty"`
}

// slack is room for the digits of the header, whose numbers are not known before
// the page is.
const slack = 40

// page renders one page of a listing: at most max_items items and max_chars
// characters, of the text and of the structure, and at least one item.
func (q *question) page(l listing) (reply, error) {
	now := cursor{workspace: q.b.tag, question: q.digest(), answer: l.answer}
	first := 0
	if q.args.has("cursor") {
		c, e := parseCursor(q.args.str("cursor"))
		if e == nil {
			e = c.check(now, l.total)
		}
		if e != nil {
			return reply{}, e
		}
		first = int(c.offset)
	}
	maxItems, maxChars := q.pageBounds()
	// What stands around the items: the header, and twice the cursor.
	now.offset = uint32(first)
	frame, frameText := l.render(nil, first, first, now.String(), true)
	around, err := chars(frame, frameText)
	if err != nil {
		return reply{}, err
	}
	room := max(1, maxChars-around-l.aside-slack)
	n, err := l.fit(first, min(maxItems, l.total-first), room)
	if err != nil {
		return reply{}, err
	}
	if l.finish != nil && n > 0 {
		l.finish(first, first+n)
		if n, err = l.fit(first, n, room); err != nil {
			return reply{}, err
		}
	}
	next := ""
	if first+n < l.total {
		now.offset = uint32(first + n)
		next = now.String()
	}
	var items []any
	var body strings.Builder
	for i := first; i < first+n; i++ {
		item, text := l.item(i, first)
		items = append(items, item)
		body.WriteString(text)
	}
	answer, _ := l.render(items, first, first+n, next, n >= maxItems)
	text := l.header(first, first+n, next, n >= maxItems) + body.String() + l.footer(first+n, next, n >= maxItems)
	return reply{text: strings.TrimRight(text, "\n"), structured: answer, state: l.completeness.State}, nil
}

// pageBounds are the bounds of a page: what the caller asked for, else the
// limits. A caller that prints all pages gets the whole answer.
func (q *question) pageBounds() (items, characters int) {
	if q.unpaged {
		return int(^uint(0) >> 1), q.b.limits.ResponseChars
	}
	return q.args.num("max_items", q.b.limits.MaxItems), q.args.num("max_chars", q.b.limits.MaxChars)
}

// fit returns how many items from the first, at most most, fit into room
// characters of text and of structure each.
func (l listing) fit(first, most, room int) (int, error) {
	var failed error
	n := limits.Page(most, most, room, func(i int) int {
		item, text := l.item(first+i, first)
		size, err := chars(item, text)
		if err != nil {
			failed = err
		}
		return size + l.extra
	})
	return n, failed
}

// chars is the larger of the characters of a structure and of a text.
func chars(structured any, text string) (int, error) {
	raw, err := encode(structured)
	if err != nil {
		return 0, err
	}
	return max(utf8.RuneCount(raw)+len(","), utf8.RuneCountInString(text)), nil
}

// render returns the structured page; with no items also the text around them.
func (l listing) render(items []any, from, to int, next string, byItems bool) (listAnswer, string) {
	if l.join != nil {
		items = l.join(items)
	}
	if items == nil {
		items = []any{}
	}
	a := listAnswer{Items: items, Total: l.total, AtLeast: l.atLeast, Completeness: l.completeness, NextCursor: next}
	return a, l.header(from, to, next, byItems) + l.footer(to, next, byItems)
}

// header is the first line: what was asked, how many there are, how far to trust
// it, and where the rest is.
func (l listing) header(from, to int, next string, byItems bool) string {
	var b strings.Builder
	b.WriteString(l.heading + ": ")
	atLeast := ""
	if l.atLeast {
		atLeast = "at least "
	}
	whole := l.completeness.State == lspclient.Complete
	switch {
	case l.total == 0 && whole:
		b.WriteString("no " + l.noun + ", complete")
	case l.total == 0:
		b.WriteString("no " + l.noun + " found, but this is not the whole answer, " + describeCompleteness(l.completeness))
	default:
		if from > 0 || next != "" {
			fmt.Fprintf(&b, "%d-%d of ", from+1, to)
		}
		fmt.Fprintf(&b, "%s%d, %s", atLeast, l.total, describeCompleteness(l.completeness))
	}
	if next != "" {
		b.WriteString("; " + l.rest(next, byItems))
	}
	b.WriteString("\n")
	if l.note != "" {
		b.WriteString(l.note + "\n")
	}
	return b.String()
}

// footer repeats at the end that the page is cut.
func (l listing) footer(to int, next string, byItems bool) string {
	if next == "" {
		return ""
	}
	return fmt.Sprintf("%d of %d so far; %s\n", to, l.total, l.rest(next, byItems))
}

func (l listing) rest(next string, byItems bool) string {
	reason := "max_chars"
	if byItems {
		reason = "max_items"
	}
	return "cut by " + reason + ", more with cursor=" + next
}

// digest stands for the question: the tool and its arguments, without those that
// say which page and how large.
func (q *question) digest() digest {
	asked := map[string]any{}
	for name, value := range q.args {
		if name != "cursor" && name != "max_items" && name != "max_chars" {
			asked[name] = value
		}
	}
	raw, err := json.Marshal(asked) // sorted by name
	if err != nil {
		raw = nil // strings, numbers and booleans always encode
	}
	return digestTexts(q.tool.name, string(raw))
}
