package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"lspbridge/tools"
)

// A batchQuestion is one line of a batch's input.
type batchQuestion struct {
	id        json.RawMessage // a scalar, as it was written; nil when none is given
	tool      string
	arguments json.RawMessage // as written; nil when none are given
}

// The longest id and the longest name of a tool, in bytes, that are repeated.
const (
	maxBatchID   = 1000
	maxBatchTool = 100
)

const batchHint = `write {"tool": NAME, "arguments": {...}}, and "id" where answers are told apart by it; lspbridge tools lists the tools`

// decodeBatchQuestion decodes a line, strictly: one object of "tool", "arguments"
// and "id", each at most once. Beside an error it returns what was understood.
func decodeBatchQuestion(line []byte) (batchQuestion, *tools.Error) {
	var q batchQuestion
	if !utf8.Valid(line) {
		return q, usage(batchHint, "the line is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return q, usage(batchHint, "the line is not a JSON object")
	}
	var first *tools.Error
	fail := func(format string, args ...any) {
		if first == nil {
			first = usage(batchHint, format, args...)
		}
	}
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return q, usage(batchHint, "the line is not valid JSON")
		}
		name, _ := tok.(string) // a member's name is always a string
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return q, usage(batchHint, "the line is not valid JSON")
		}
		if seen[name] {
			fail("the member %s is given twice", clipName(name))
			continue
		}
		seen[name] = true
		switch name {
		case "id":
			if value[0] == '{' || value[0] == '[' || len(value) > maxBatchID {
				fail("the id is a string, a number, true, false or null, of at most %d bytes", maxBatchID)
				continue
			}
			q.id = value
		case "tool":
			if json.Unmarshal(value, &q.tool) != nil || value[0] != '"' {
				fail("the tool's name is not a string")
			} else if len(q.tool) > maxBatchTool {
				fail("there is no tool %s", clipName(q.tool))
				q.tool = ""
			}
		case "arguments":
			q.arguments = value
		default:
			fail("there is no member %s in a question", clipName(name))
		}
	}
	if _, err := dec.Token(); err != nil {
		return q, usage(batchHint, "the line is not valid JSON")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return q, usage(batchHint, "something follows the JSON object; each question has a line of its own")
	}
	if first == nil && !seen["tool"] {
		fail("the question names no tool")
	}
	return q, first
}

// clipName quotes a word of the input for an error.
func clipName(name string) string {
	const most = 80
	shown := name
	for i := range name {
		if i > most {
			shown = name[:i] + "…"
			break
		}
	}
	raw, err := json.Marshal(shown)
	if err != nil {
		return `""` // a string always encodes
	}
	return string(raw)
}
