package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"lspbridge/lspclient/lsptest"
)

// A rawPlace is a place as a server named it; lines and columns are 1-based, in
// bytes, and the end is exclusive.
type rawPlace struct {
	path                             string // absolute
	line, column, endLine, endColumn int
}

// A columns converts 0-based columns of a line: from bytes to what the server
// counts, and back.
type columns func(line string, column int, back bool) int

// byteColumn is the conversion for a server that counts bytes.
func byteColumn(_ string, column int, _ bool) int { return column }

// askRaw asks a server of its own about an identifier whose file is open there.
// Both kinds of questions answer with a list of Location (LSP 3.17), since the
// client does not offer links.
func askRaw(ctx context.Context, raw *lsptest.Raw, dir, tool string, q question, convert columns) ([]rawPlace, error) {
	params, err := positionParams(dir, q, convert)
	if err != nil {
		return nil, err
	}
	method := "textDocument/definition"
	if tool == referencesTool {
		method = "textDocument/references"
		params["context"] = map[string]any{"includeDeclaration": true}
	}
	result, err := raw.Call(ctx, method, params)
	if err != nil {
		return nil, err
	}
	var locations []struct {
		URI   string
		Range rawRange
	}
	if err := json.Unmarshal(result, &locations); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	var places []rawPlace
	for _, l := range locations {
		p, err := l.Range.in(l.URI, convert)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		places = append(places, p)
	}
	return places, nil
}

// positionParams are the TextDocumentPositionParams (LSP 3.17) of a question.
func positionParams(dir string, q question, convert columns) (map[string]any, error) {
	file := filepath.Join(dir, filepath.FromSlash(q.file))
	source, err := lineOf(file, q.line)
	return map[string]any{
		"textDocument": map[string]any{"uri": "file://" + file},
		"position":     map[string]any{"line": q.line - 1, "character": convert(source, q.column-1, false)},
	}, err
}

// A rawRange is a Range (LSP 3.17).
type rawRange struct{ Start, End struct{ Line, Character int } }

// in returns the place of a range in a document.
func (r rawRange) in(uri string, convert columns) (rawPlace, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return rawPlace{}, fmt.Errorf("the place %s: %w", uri, err)
	}
	start, err := lineOf(u.Path, r.Start.Line+1)
	if err != nil {
		return rawPlace{}, err
	}
	end, err := lineOf(u.Path, r.End.Line+1)
	return rawPlace{
		u.Path,
		r.Start.Line + 1, convert(start, r.Start.Character, true) + 1,
		r.End.Line + 1, convert(end, r.End.Character, true) + 1,
	}, err
}

// lineOf reads the 1-based line of a file, "" for the one past the last.
func lineOf(path string, line int) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines)+1 {
		return "", fmt.Errorf("%s has no line %d", path, line)
	}
	if line == len(lines)+1 {
		return "", nil
	}
	return strings.TrimSuffix(lines[line-1], "\r"), nil
}
