package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A paramType is the JSON type of a parameter.
type paramType string

const (
	typeString  paramType = "string"
	typeInteger paramType = "integer"
	typeBoolean paramType = "boolean"
	typeStrings paramType = "array" // of strings
)

// maxListItems bounds an argument that is a list.
const maxListItems = 64

// A param is one parameter of a tool. The input schema and the decoder are both
// made from it, so that they cannot disagree.
type param struct {
	name     string
	typ      paramType
	desc     string
	enum     []string // strings only
	min, max int      // integers only, inclusive
	required bool
}

// arguments are the decoded arguments of a call, by parameter name: string,
// int, bool or []string.
type arguments map[string]any

func (a arguments) has(name string) bool { _, ok := a[name]; return ok }

func (a arguments) str(name string) string { s, _ := a[name].(string); return s }

func (a arguments) num(name string, otherwise int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return otherwise
}

func (a arguments) flag(name string, otherwise bool) bool {
	if f, ok := a[name].(bool); ok {
		return f
	}
	return otherwise
}

func (a arguments) list(name string) []string { l, _ := a[name].([]string); return l }

// decodeArguments decodes a JSON object of at most maxChars characters against
// params. It is strict: an unknown or doubled name, a value of another type or
// outside its bounds, and anything nested are refused, at the first such place.
func decodeArguments(raw json.RawMessage, params []param, maxChars int) (arguments, *Error) {
	args := arguments{}
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	// A character has at most utf8.UTFMax bytes, so that counting stays bounded.
	if len(raw) > maxChars*utf8.UTFMax || utf8.RuneCount(raw) > maxChars {
		return nil, usagef("arguments_too_long", "ask with shorter arguments",
			"the arguments are longer than %d characters (argument_chars)", maxChars)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, usagef("bad_arguments", "send a JSON object", "the arguments are not a JSON object")
	}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, badJSON(err)
		}
		name, _ := tok.(string)
		i := slices.IndexFunc(params, func(p param) bool { return p.name == name })
		if i < 0 {
			return nil, unknownArgument(name, params)
		}
		if args.has(name) {
			return nil, usagef("doubled_argument", "give each argument once", "the argument %s is given twice", name)
		}
		value, e := decodeValue(dec, params[i])
		if e != nil {
			return nil, e
		}
		args[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, badJSON(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, usagef("bad_arguments", "send one JSON object", "something follows the arguments' JSON object")
	}
	for _, p := range params {
		if p.required && !args.has(p.name) {
			return nil, usagef("missing_argument", "", "the argument %s is missing (%s)", p.name, p.desc)
		}
	}
	return args, nil
}

func decodeValue(dec *json.Decoder, p param) (any, *Error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, badJSON(err)
	}
	switch p.typ {
	case typeString:
		if s, ok := tok.(string); ok {
			return s, checkString(p, s)
		}
	case typeBoolean:
		if f, ok := tok.(bool); ok {
			return f, nil
		}
	case typeInteger:
		if n, ok := tok.(json.Number); ok {
			return decodeInteger(p, n)
		}
	case typeStrings:
		if tok == json.Delim('[') {
			return decodeStrings(dec, p)
		}
	}
	hint := ""
	if tok == nil {
		hint = "leave an argument out instead of sending null"
	}
	return nil, usagef("wrong_type", hint, "the argument %s must be %s, not %s", p.name, typeName(p), tokenName(tok))
}

func decodeInteger(p param, n json.Number) (any, *Error) {
	// A number with a zero fraction is an integer in JSON Schema (2020-12 §6.1.1).
	v, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(n.String(), 64)
		if ferr != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return nil, usagef("wrong_type", "", "the argument %s must be %s", p.name, typeName(p))
		}
		v = int64(f)
	}
	if v < int64(p.min) || v > int64(p.max) {
		hint := ""
		if p.min == 1 && v < 1 && (strings.Contains(p.name, "line") || p.name == "column") {
			hint = "lines and columns count from 1"
		}
		return nil, usagef("out_of_range", hint, "the argument %s must be between %d and %d, not %d", p.name, p.min, p.max, v)
	}
	return int(v), nil
}

func decodeStrings(dec *json.Decoder, p param) (any, *Error) {
	var list []string
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, badJSON(err)
		}
		s, ok := tok.(string)
		if !ok {
			return nil, usagef("wrong_type", "", "the argument %s must be %s, and holds %s", p.name, typeName(p), tokenName(tok))
		}
		if len(list) == maxListItems {
			return nil, usagef("out_of_range", "", "the argument %s has more than %d items", p.name, maxListItems)
		}
		if e := checkString(p, s); e != nil {
			return nil, e
		}
		list = append(list, s)
	}
	if _, err := dec.Token(); err != nil {
		return nil, badJSON(err)
	}
	return list, nil
}

func checkString(p param, s string) *Error {
	if len(p.enum) == 0 || slices.Contains(p.enum, s) {
		return nil
	}
	return usagef("bad_value", "use one of: "+strings.Join(p.enum, ", "),
		"%q is no value of the argument %s", clipWord(s), p.name)
}

func unknownArgument(name string, params []param) *Error {
	var names []string
	for _, p := range params {
		names = append(names, p.name)
	}
	hint := "the arguments are: " + strings.Join(names, ", ")
	if len(names) == 0 {
		hint = "this tool takes no arguments"
	}
	if near := nearest(name, names, 1); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s?", near[0])
	}
	return usagef("unknown_argument", hint, "there is no argument %q", clipWord(name))
}

func badJSON(err error) *Error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return usagef("bad_arguments", "send a JSON object", "the arguments' JSON ends too early")
	}
	return usagef("bad_arguments", "send a JSON object", "the arguments are not valid JSON")
}

func typeName(p param) string {
	switch p.typ {
	case typeInteger:
		return fmt.Sprintf("an integer between %d and %d", p.min, p.max)
	case typeBoolean:
		return "true or false"
	case typeStrings:
		return "a list of strings"
	default:
		return "a string"
	}
}

func tokenName(tok json.Token) string {
	switch tok := tok.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case json.Delim:
		if tok == '{' {
			return "an object"
		}
		return "a list"
	default:
		return "something else"
	}
}
