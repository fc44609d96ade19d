package cli

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
)

// A target is what a question is about, as the command line spells it:
//
//	PATH:LINE:COL    the identifier at a column; both from 1, the column in bytes
//	PATH:LINE:NAME   the identifier of that name on a line
//	PATH#SYMBOL      a symbol declared in a file
//	SYMBOL           a symbol of the workspace: Close, Client.Close, ns::Class::f
type target struct {
	file   string // as spelled; "" for a symbol of the workspace
	line   int
	column int // 0 with a name
	name   string
	symbol string
}

// parseTarget parses s. A file name may hold colons and number signs: of all
// ways to split s the one with the longest path that exists wins, and without
// one the last colons or the first number sign split. kind says what a path is.
func parseTarget(s string, kind func(path string) pathKind) (target, error) {
	if s == "" {
		return target{}, usage(targetHint, "the target is empty")
	}
	if kind(s) == pathFile && strings.ContainsAny(s, ".:/"+string(filepath.Separator)) {
		return target{}, usage("write "+s+":LINE:COL, "+s+":LINE:NAME or "+s+"#SYMBOL", "%s is a file: which name in it?", s)
	}
	splits := splitTarget(s)
	best, length := -1, -1
	for i, t := range splits {
		if kind(t.file) != pathMissing && len(t.file) > length {
			best, length = i, len(t.file)
		}
	}
	if len(splits) > 0 {
		return splits[max(best, 0)].checked(s)
	}
	if path, last, ok := cutLast(s); ok && isNumber(last) && (kind(path) == pathFile || strings.ContainsAny(path, "./")) {
		return target{}, usage("write "+s+":COL or "+s+":NAME", "%s is a line: which name on it?", s)
	}
	return target{symbol: s}, nil
}

const targetHint = "a target is PATH:LINE:COL, PATH:LINE:NAME, PATH#SYMBOL or SYMBOL"

// A pathKind is what stands at a path.
type pathKind int

const (
	pathMissing pathKind = iota
	pathFile
	pathOther // a folder, a pipe, a device: the tool says what is wrong with it
)

// splitTarget lists the ways to read s as a place in a file: positions, the one
// with the longest path first, then symbols, the one with the shortest path
// first.
func splitTarget(s string) []target {
	var list []target
	for end := len(s); ; {
		head, _, ok := cutLast(s[:end])
		if !ok {
			break
		}
		if path, line, ok := cutLast(head); ok && path != "" && isNumber(line) && len(head)+1 < len(s) {
			t := target{file: path, name: s[len(head)+1:]}
			t.line = number(line)
			if isNumber(t.name) {
				t.column, t.name = number(t.name), ""
			}
			list = append(list, t)
		}
		end = len(head)
	}
	for i, c := range s {
		if c == '#' && i > 0 && i+1 < len(s) {
			list = append(list, target{file: s[:i], symbol: s[i+1:]})
		}
	}
	return list
}

// checked refuses a position that counts from 0.
func (t target) checked(s string) (target, error) {
	switch {
	case t.symbol != "":
	case t.line < 1:
		return target{}, usage("lines and columns count from 1", "the target %s names line %d", s, t.line)
	case t.name == "" && t.column < 1:
		return target{}, usage("lines and columns count from 1; columns count bytes", "the target %s names column %d", s, t.column)
	}
	return t, nil
}

// arguments are the tool arguments of t; path is its file as the tool gets it.
func (t target) arguments(path string) map[string]any {
	args := map[string]any{}
	if t.file != "" {
		args["file"] = path
	}
	switch {
	case t.symbol != "":
		args["symbol"] = t.symbol
	case t.name != "":
		args["line"], args["name"] = t.line, t.name
	default:
		args["line"], args["column"] = t.line, t.column
	}
	return args
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// number is the value of a number; one that no line and no column can have
// becomes the largest, which the tool refuses.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return math.MaxInt32
	}
	return min(n, math.MaxInt32)
}

const targetHelp = `A TARGET is one of
  PATH:LINE:COL    the identifier at a line and column, both counted from 1, columns in bytes
  PATH:LINE:NAME   the identifier NAME on a line
  PATH#SYMBOL      SYMBOL as PATH declares it
  SYMBOL           a symbol of the workspace: Close, Client.Close, ns::Class::method
PATH is relative to the current folder.
`
