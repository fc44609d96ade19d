package cli

import (
	"strings"
	"testing"
)

// TestDecodeBatchQuestion: a line is one object of known members, each once; what
// of a bad one was understood is kept, so that its answer can be told apart.
func TestDecodeBatchQuestion(t *testing.T) {
	long := strings.Repeat("x", 2000)
	for _, tt := range []struct {
		line                string
		id, tool, arguments string
		fault               string // part of the error; "" for none
	}{
		{line: `{"tool":"hover","arguments":{"symbol":"F"}}`, tool: "hover", arguments: `{"symbol":"F"}`},
		{line: ` { "id" : 1.50 , "tool" : "hover" , "arguments" : { } } `, id: "1.50", tool: "hover", arguments: "{ }"},
		{line: `{"tool":"server_status"}`, tool: "server_status"},
		{line: `{"id":"a\"b","tool":"t"}`, id: `"a\"b"`, tool: "t"},
		{line: `{"id":null,"tool":"t"}`, id: "null", tool: "t"},
		{line: `{"id":false,"tool":"t"}`, id: "false", tool: "t"},
		{line: `{"tool":"t","arguments":[1]}`, tool: "t", arguments: "[1]"}, // the tool says what is wrong
		{line: `{"tool":"t","id":[1]}`, tool: "t", fault: "the id is a string"},
		{line: `{"tool":"t","id":{"a":1}}`, tool: "t", fault: "the id is a string"},
		{line: `{"tool":"t","id":"` + long + `"}`, tool: "t", fault: "at most 1000 bytes"},
		{line: `{"tool":5,"id":7}`, id: "7", fault: "not a string"},
		{line: `{"tool":null}`, fault: "not a string"},
		{line: `{"tool":"` + long + `"}`, fault: `there is no tool "xxx`},
		{line: `{"id":1,"Tool":"t"}`, id: "1", fault: `there is no member "Tool"`},
		{line: `{"` + long + `":1,"id":2,"tool":"t"}`, id: "2", tool: "t", fault: `there is no member "xxx`},
		{line: `{"tool":"t","tool":"u"}`, tool: "t", fault: `"tool" is given twice`},
		{line: `{}`, fault: "names no tool"},
		{line: `{"id":3}`, id: "3", fault: "names no tool"},
		{line: `[]`, fault: "not a JSON object"},
		{line: `"hover"`, fault: "not a JSON object"},
		{line: `hover`, fault: "not a JSON object"},
		{line: "\xef\xbb\xbf{}", fault: "not a JSON object"},
		{line: "{\"tool\":\"\xff\"}", fault: "not UTF-8"},
		{line: `{"id":4,"tool":"t"`, id: "4", tool: "t", fault: "not valid JSON"},
		{line: `{"id":4,"tool":`, id: "4", fault: "not valid JSON"},
		{line: `{"id":4,}`, id: "4", fault: "not valid JSON"},
		{line: `{"tool":"t"}{"tool":"u"}`, tool: "t", fault: "something follows"},
		{line: `{"tool":"t"} ]`, tool: "t", fault: "something follows"},
	} {
		q, e := decodeBatchQuestion([]byte(tt.line))
		name := tt.line[:min(len(tt.line), 60)]
		if string(q.id) != tt.id || q.tool != tt.tool || string(q.arguments) != tt.arguments {
			t.Errorf("%s: id %s, tool %s, arguments %s", name, q.id, q.tool, q.arguments)
		}
		switch {
		case e == nil && tt.fault != "":
			t.Errorf("%s is taken", name)
		case e != nil && (tt.fault == "" || !strings.Contains(e.Message, tt.fault)):
			t.Errorf("%s: %s", name, e.Message)
		case e != nil && (len(e.Message) > 300 || e.Hint == ""):
			t.Errorf("%s: the error has %d characters and the hint %q", name, len(e.Message), e.Hint)
		}
	}
}

func FuzzDecodeBatchQuestion(f *testing.F) {
	for _, s := range []string{`{"id":1,"tool":"hover","arguments":{}}`, `{"id":[`, `{"tool":"t"}x`, ` {"":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		q, e := decodeBatchQuestion(line)
		if len(q.id) > maxBatchID || len(q.tool) > maxBatchTool {
			t.Errorf("id of %d bytes, tool of %d", len(q.id), len(q.tool))
		}
		if e != nil && len(e.Message) > 400 {
			t.Errorf("an error of %d bytes", len(e.Message))
		}
	})
}
