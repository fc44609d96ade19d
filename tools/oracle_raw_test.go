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
	file := filepath.Join(dir, filepath.FromSlash(q.file))
	source, err := lineOf(file, q.line)
	if err != nil {
		return nil, err
	}
	params := map[string]any{
		"textDocument": map[string]any{"uri": "file://" + file},
		"position":     map[string]any{"line": q.line - 1, "character": convert(source, q.column-1, false)},
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
	type position struct{ Line, Character int }
	var locations []struct {
		URI   string
		Range struct{ Start, End position }
	}
	if err := json.Unmarshal(result, &locations); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	var places []rawPlace
	for _, l := range locations {
		u, err := url.Parse(l.URI)
		if err != nil || u.Scheme != "file" {
			return nil, fmt.Errorf("%s: the place %s: %w", method, l.URI, err)
		}
		start, err := lineOf(u.Path, l.Range.Start.Line+1)
		if err != nil {
			return nil, err
		}
		end, err := lineOf(u.Path, l.Range.End.Line+1)
		if err != nil {
			return nil, err
		}
		places = append(places, rawPlace{
			u.Path,
			l.Range.Start.Line + 1, convert(start, l.Range.Start.Character, true) + 1,
			l.Range.End.Line + 1, convert(end, l.Range.End.Character, true) + 1,
		})
	}
	return places, nil
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
