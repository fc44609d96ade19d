package tools

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// The hard maxima of a page; package limits has the same for max_items and
// max_chars, and a test holds them together. Schemas are the same whatever the
// limits in force.
const (
	maxPageItems = 5_000
	maxPageChars = 100_000
	minPageChars = 1_000
)

// pageParams are the parameters of every tool that lists something.
func pageParams() []param {
	return []param{
		{name: "max_items", typ: typeInteger, min: 1, max: maxPageItems},
		{name: "max_chars", typ: typeInteger, min: minPageChars, max: maxPageChars},
		{name: "cursor", typ: typeString, desc: "Next page"},
	}
}

// inputSchema writes a flat, portable JSON Schema: one object, one type each, no
// references, no combinators.
func inputSchema(params []param) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, p := range params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoteJSON(p.name) + `:{"type":` + quoteJSON(string(p.typ)))
		switch {
		case p.typ == typeStrings:
			b.WriteString(`,"items":{"type":"string"},"maxItems":` + strconv.Itoa(maxListItems))
		case p.typ == typeInteger:
			b.WriteString(`,"minimum":` + strconv.Itoa(p.min) + `,"maximum":` + strconv.Itoa(p.max))
		case len(p.enum) > 0:
			b.WriteString(`,"enum":` + quoteList(p.enum))
		}
		if p.desc != "" {
			b.WriteString(`,"description":` + quoteJSON(p.desc))
		}
		b.WriteByte('}')
		if p.required {
			required = append(required, p.name)
		}
	}
	b.WriteString(`},`)
	if len(required) > 0 {
		b.WriteString(`"required":` + quoteList(required) + `,`)
	}
	b.WriteString(`"additionalProperties":false}`)
	return json.RawMessage(b.String())
}

// A field is one member of a structured answer. The schema is its JSON Schema.
type field struct {
	name, schema string
	required     bool
}

const (
	schemaString  = `{"type":"string"}`
	schemaInteger = `{"type":"integer"}`
	schemaBoolean = `{"type":"boolean"}`
	schemaStrings = `{"type":"array","items":{"type":"string"}}`
	schemaObjects = `{"type":"array","items":{"type":"object"}}`
)

// outlineSchema is what tools/list tells of an output schema: the members that
// every answer has. What an agent reads before its first question is to be short;
// the whole schema is for programs, and printed by the command tools.
func outlineSchema(schema json.RawMessage) json.RawMessage {
	var out struct {
		Type     string   `json:"type"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(schema, &out) != nil {
		return schema // a test holds that it never happens
	}
	raw, err := encode(out)
	if err != nil {
		return schema
	}
	return raw
}

// objectSchema writes the schema of an object; further members may come.
func objectSchema(fields ...field) string {
	var props, required []string
	for _, f := range fields {
		props = append(props, quoteJSON(f.name)+":"+f.schema)
		if f.required {
			required = append(required, f.name)
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(props, ",") + `}`
	if len(required) > 0 {
		s += `,"required":` + quoteList(required)
	}
	return s + "}"
}

func arraySchema(items string) string { return `{"type":"array","items":` + items + `}` }

// completenessField is the completeness of an answer. What is for people who look
// into a slow answer (waited_ms, generation) is there too, and costs no words
// here.
func completenessField() field {
	return field{"completeness", objectSchema(
		field{"state", `{"type":"string","enum":["complete","partial","unknown"]}`, true},
		field{"reasons", schemaStrings, true},
	), true}
}

// listSchema is the output schema of an answer that lists items.
func listSchema(item []field) string {
	return objectSchema(
		field{"items", arraySchema(objectSchema(item...)), true},
		field{"total", schemaInteger, true},
		field{"at_least", schemaBoolean, true},
		completenessField(),
		field{"next_cursor", schemaString, false},
	)
}

// locationFields are the members of a place, with what a tool adds to it.
func locationFields(added ...string) []field {
	fields := []field{
		{"path", schemaString, false},
		{"ref", schemaString, false},
		{"display", schemaString, false},
		{"line", schemaInteger, true},
		{"column", schemaInteger, true},
		{"end_line", schemaInteger, true},
		{"end_column", schemaInteger, true},
		{"text", schemaString, false},
		{"in", schemaString, false},
		{"stale", schemaBoolean, false},
	}
	if slices.Contains(added, "body") {
		fields = append(fields, field{"body", schemaString, false})
	}
	if slices.Contains(added, "context") {
		fields = append(fields, field{"first_line", schemaInteger, false}, field{"context", schemaStrings, false})
	}
	return fields
}

// symbolFields are the members of a symbol.
func symbolFields() []field {
	fields := []field{
		{"name", schemaString, true},
		{"kind", schemaString, true},
		{"container", schemaString, false},
	}
	for _, f := range locationFields() {
		if f.name != "in" {
			fields = append(fields, f)
		}
	}
	return append(fields, field{"children", schemaObjects, false})
}

func quoteJSON(s string) string {
	raw, err := encode(s)
	if err != nil {
		return `""` // a string always encodes
	}
	return string(raw)
}

func quoteList(list []string) string {
	raw, err := encode(list)
	if err != nil {
		return `[]`
	}
	return string(raw)
}
