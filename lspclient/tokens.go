package lspclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A SemanticToken is a word of a file and what it is to the server: Type and
// Modifiers are names of the server's legend (LSP 3.17 §semanticTokens), and
// Text what stands there.
type SemanticToken struct {
	Place     Location
	Type      string
	Modifiers []string
	Text      string
}

// SemanticTokens is an answer made of tokens, in the order of the text.
type SemanticTokens = List[SemanticToken]

// A legend gives the numbers of encoded tokens their names.
type legend struct {
	TokenTypes     []string
	TokenModifiers []string
}

// registerSemanticTokens is the name under which a server registers what it has
// of semantic tokens (LSP 3.17 §semanticTokens).
const registerSemanticTokens = "textDocument/semanticTokens"

// SemanticTokens asks what the words of a file are.
func (p *Pool) SemanticTokens(ctx context.Context, f confine.File) (SemanticTokens, error) {
	const method = protocol.MethodTextDocumentSemanticTokensFull
	var out SemanticTokens
	var names legend
	cut := false
	answer, err := p.about(ctx, aboutFile(method, f), func(a *attempt, _ map[string]any) error {
		var options struct {
			Legend legend
			Full   json.RawMessage // boolean | {delta}
		}
		a.provider(method, registerSemanticTokens, &options)
		if full := bytes.TrimSpace(options.Full); len(full) == 0 || string(full) == "false" || string(full) == "null" {
			return a.sess.lacks(method)
		}
		names = options.Legend
		return nil
	}, func(_ context.Context, a *attempt, raw json.RawMessage) error {
		var result *struct{ Data json.RawMessage }
		if json.Unmarshal(raw, &result) != nil {
			return a.unreadable(method, nil)
		}
		out.Items, cut = nil, false
		if result == nil {
			return nil
		}
		data, ok := numbers(result.Data)
		if !ok {
			a.c.partial("tokens behind a number that cannot be read are left out")
		}
		if len(data) > fields*maxElements {
			a.c.partial(fmt.Sprintf("the first %d of the server's %d tokens", maxElements, len(data)/fields))
			data, cut = data[:fields*maxElements], true
		}
		tokens, faults := decodeTokens(a.snap.text, a.sess.hello.encoding, data, names)
		faults.note(a.c)
		a.conv.doubtLines(a.snap.doc.file, a.snap.text)
		for _, t := range tokens {
			place := Location{Inside: true, File: a.snap.doc.file}
			place.Start, _ = a.snap.text.Point(t.start)
			place.End, _ = a.snap.text.Point(t.end)
			place.Line, _ = a.snap.text.Line(place.Start.Line)
			if n := len(out.Items); n > 0 && out.Items[n-1].Place.Start.Line == place.Start.Line {
				place.Line = out.Items[n-1].Place.Line // tokens of one line share its copy
			}
			out.Items = append(out.Items, SemanticToken{
				Place: place, Type: t.typ, Modifiers: t.modifiers, Text: kept(string(a.snap.text.Text()[t.start:t.end]), maxLabel),
			})
		}
		return nil
	})
	out.Answer = answer
	out.AtLeast = cut
	return out, err
}

// fields is how many numbers encode a token: lines from the token before,
// characters from it or from the line's start, length, type, modifiers.
const fields = 5

// numbers reads an array of numbers, up to the first that is none of uinteger;
// null, which encoding/json would take for 0, is none.
func numbers(raw json.RawMessage) (list []uint32, whole bool) {
	if json.Unmarshal(raw, &list) == nil && !bytes.Contains(raw, []byte("null")) {
		return list, true
	}
	list = nil
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('[') {
		return nil, false
	}
	for dec.More() {
		var n *uint32
		if dec.Decode(&n) != nil || n == nil {
			break
		}
		list = append(list, *n)
	}
	return list, false
}

// A wordToken is a decoded token: bytes [start, end) of one line of the text.
type wordToken struct {
	start, end int
	typ        string
	modifiers  []string
}

// tokenFaults counts what of a server's tokens cannot be right.
type tokenFaults struct {
	rest     int // numbers behind the last whole token
	outside  int // tokens that begin outside the text, or inside a character; left out
	long     int // tokens that reach past their line; cut at its end
	unnamed  int // tokens whose type or modifiers the legend lacks
	overflow bool
}

func (f tokenFaults) note(c *collector) {
	if f.rest > 0 {
		c.partial(count(f.rest, "number") + " behind the last whole token")
	}
	if f.outside > 0 {
		c.partial(count(f.outside, "token") + " outside the file's text")
	}
	if f.long > 0 {
		c.partial(count(f.long, "token") + " cut at the end of the line")
	}
	if f.unnamed > 0 {
		c.partial(count(f.unnamed, "token") + " of a type or modifier that the server did not name")
	}
	if f.overflow {
		c.partial("tokens behind one that is past every line are left out")
	}
}

// decodeTokens decodes the relative form of LSP 3.17 §semanticTokens. Types and
// modifiers that the legend lacks are left out of their token, and counted.
func decodeTokens(text *textpos.Mapper, enc textpos.Encoding, data []uint32, names legend) (out []wordToken, faults tokenFaults) {
	faults.rest = len(data) % fields
	types, modifiers := keptNames(names.TokenTypes), keptNames(names.TokenModifiers)
	var line, character uint64
	for ; len(data) >= fields; data = data[fields:] {
		if data[0] > 0 {
			character = 0
		}
		line += uint64(data[0])
		character += uint64(data[1])
		end := character + uint64(data[2])
		if line >= uint64(text.Lines()) || end >= endOfLine {
			faults.overflow = true
			return out, faults
		}
		at := textpos.Position{Line: uint32(line), Character: uint32(character)}
		start, err1 := text.Offset(at, enc)
		stop, err2 := text.Offset(textpos.Position{Line: at.Line, Character: uint32(end)}, enc)
		// A position past its line means the line's end; only the way back tells.
		back, err3 := text.Position(start, enc)
		if err1 != nil || err2 != nil || err3 != nil || back != at || start == stop && data[2] > 0 {
			faults.outside++
			continue
		}
		if back, err := text.Position(stop, enc); err != nil || uint64(back.Character) != end {
			faults.long++
		}
		t := wordToken{start: start, end: stop}
		unnamed := uint64(data[3]) >= uint64(len(types)) || types[data[3]] == ""
		if !unnamed {
			t.typ = types[data[3]]
		}
		for bit, left := 0, data[4]; left != 0; bit, left = bit+1, left>>1 {
			switch {
			case left&1 == 0:
			case bit < len(modifiers) && modifiers[bit] != "":
				t.modifiers = append(t.modifiers, modifiers[bit])
			default:
				unnamed = true
			}
		}
		if unnamed {
			faults.unnamed++
		}
		out = append(out, t)
	}
	return out, faults
}

// maxNames bounds the names of a legend.
const maxNames = 1024

func keptNames(list []string) []string {
	var out []string
	for _, n := range list[:min(len(list), maxNames)] {
		out = append(out, kept(n, maxLabel))
	}
	return out
}
