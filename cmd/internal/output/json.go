package output

import (
	"bytes"
	"encoding/json"
	"io"

	"lspbridge/cmd/internal/terminal"
	"lspbridge/tools"
)

// object writes the members of an answer behind schema_version and question.
func object(q Question, members []member) (json.RawMessage, error) {
	question, err := encode(q)
	if err != nil {
		return nil, err
	}
	version, err := encode(SchemaVersion)
	if err != nil {
		return nil, err
	}
	all := append([]member{{"schema_version", version}, {"question", question}}, members...)
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := encode(m.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode is json.Marshal without the escapes that only HTML needs.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// writeObject writes one object: indented, or on one line.
func writeObject(w io.Writer, data json.RawMessage, indent bool, style Style) error {
	var b bytes.Buffer
	var err error
	if indent {
		err = json.Indent(&b, data, "", "  ")
	} else {
		err = json.Compact(&b, data)
	}
	if err != nil {
		return err
	}
	b.WriteByte('\n')
	out := b.Bytes()
	if style.Terminal {
		out = terminal.EscapeJSON(out)
	}
	_, err = w.Write(out)
	return err
}

func writeJSON(w io.Writer, q Question, a *Answer, style Style) error {
	data, err := object(q, a.members)
	if err != nil {
		return err
	}
	return writeObject(w, data, true, style)
}

func writeJSONL(w io.Writer, q Question, a *Answer, style Style) error {
	for _, item := range a.items {
		if err := writeObject(w, item, false, style); err != nil {
			return err
		}
	}
	var summary []member
	for _, m := range a.members {
		if m.name != a.list || a.items == nil {
			summary = append(summary, m)
		}
	}
	data, err := object(q, summary)
	if err != nil {
		return err
	}
	return writeObject(w, data, false, style)
}

// WriteLine writes the whole answer to q as one object on one line.
func WriteLine(w io.Writer, q Question, a *Answer, style Style) error {
	data, err := object(q, a.members)
	if err != nil {
		return err
	}
	return writeObject(w, data, false, style)
}

// WriteError writes the object of a question that got no answer. f is one of the
// machine formats.
func WriteError(w io.Writer, f Format, q Question, e *tools.Error, style Style) error {
	switch f {
	case SARIF:
		return writeSARIFError(w, e, style)
	case GitHub:
		return writeGitHubError(w, e, style)
	}
	value, err := encode(e)
	if err != nil {
		return err
	}
	data, err := object(q, []member{{"error", value}})
	if err != nil {
		return err
	}
	return writeObject(w, data, f == JSON, style)
}

// WriteObject writes v, which encodes to a JSON object, in format f (JSON or
// JSONL) as the answer to q.
func WriteObject(w io.Writer, f Format, q Question, v any, style Style) error {
	value, err := encode(v)
	if err != nil {
		return err
	}
	members, err := membersOf(value)
	if err != nil {
		return err
	}
	data, err := object(q, members)
	if err != nil {
		return err
	}
	return writeObject(w, data, f == JSON, style)
}
