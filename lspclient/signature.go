package lspclient

import (
	"context"
	"encoding/json"
	"unicode/utf16"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
)

// A Signature is one way to call what is called at a place. Active is the
// parameter that the place stands for, an index into Parameters, -1 for none.
type Signature struct {
	Label         string
	Documentation string // Markdown
	Parameters    []Parameter
	Active        int
	Chosen        bool // of several signatures, the one that fits the call
}

// A Parameter is one of a signature.
type Parameter struct {
	Label         string
	Documentation string // Markdown
}

// Signatures is an answer made of signatures, in the server's order.
type Signatures = List[Signature]

// SignatureHelp asks how the call around a place can be written (LSP 3.17
// §signatureHelp).
func (p *Pool) SignatureHelp(ctx context.Context, f confine.File, at Locate) (Signatures, error) {
	const method = protocol.MethodTextDocumentSignatureHelp
	var out Signatures
	cut := false
	answer, err := p.about(ctx, aboutPlace(method, f, at), nil, func(ctx context.Context, a *attempt, raw json.RawMessage) error {
		var help *struct {
			Signatures      []json.RawMessage
			ActiveSignature int
			ActiveParameter *int
		}
		if json.Unmarshal(raw, &help) != nil {
			return a.unreadable(method, nil)
		}
		out.Items, cut = nil, false
		if help == nil {
			return nil
		}
		elements, over := a.bounded(help.Signatures)
		cut = over
		n := -1
		var err error
		out.Items, err = readAll(ctx, a, elements, func(_ context.Context, a *attempt, raw json.RawMessage) (Signature, bool) {
			n++
			s, ok := a.signature(raw, help.ActiveParameter)
			s.Chosen = n == help.ActiveSignature
			return s, ok
		})
		return err
	})
	out.Answer = answer
	out.AtLeast = cut
	return out, err
}

// signature reads a SignatureInformation; active is the parameter of all of them.
func (a *attempt) signature(raw json.RawMessage, active *int) (Signature, bool) {
	var r struct {
		Label           string
		Documentation   json.RawMessage
		Parameters      []json.RawMessage
		ActiveParameter *int
	}
	if !a.decodes(raw, &r) {
		return Signature{}, false
	}
	if r.Label == "" {
		a.conv.odd++
		return Signature{}, false
	}
	s := Signature{Label: kept(r.Label, maxLabel), Documentation: kept(markedText(r.Documentation), maxDocBytes), Active: -1}
	if r.ActiveParameter != nil {
		active = r.ActiveParameter
	}
	for i, e := range r.Parameters {
		if i == maxSubparts {
			a.conv.odd += len(r.Parameters) - i
			break
		}
		p, ok := parameter(e, r.Label)
		if !ok {
			a.conv.odd++ // kept all the same: the active one is counted
		}
		s.Parameters = append(s.Parameters, p)
	}
	// An index past the end means that none is (LSP 3.18); an absent one is the
	// first (LSP 3.17).
	n := 0
	if active != nil {
		n = *active
	}
	if n >= 0 && n < len(s.Parameters) {
		s.Active = n
	}
	return s, true
}

// parameter reads a ParameterInformation, whose label is a text, or a range of
// the signature's label in UTF-16 units.
func parameter(raw json.RawMessage, label string) (Parameter, bool) {
	var r struct {
		Label         json.RawMessage
		Documentation json.RawMessage
	}
	if json.Unmarshal(raw, &r) != nil {
		return Parameter{}, false
	}
	p := Parameter{Documentation: kept(markedText(r.Documentation), maxDocBytes)}
	var text string
	if json.Unmarshal(r.Label, &text) == nil {
		p.Label = kept(text, maxLabel)
		return p, true
	}
	var span []int
	units := utf16.Encode([]rune(label))
	if json.Unmarshal(r.Label, &span) != nil || len(span) != 2 || span[0] < 0 || span[1] < span[0] || span[1] > len(units) {
		return p, false
	}
	p.Label = kept(string(utf16.Decode(units[span[0]:span[1]])), maxLabel)
	return p, true
}
