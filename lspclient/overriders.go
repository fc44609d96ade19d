package lspclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

const (
	// maxOverriders is the number of overriding methods whose definitions one
	// question looks up, overridersAtOnce that of the files opened beside each
	// other for it.
	maxOverriders    = 64
	overridersAtOnce = 8
)

// overriders completes the places of a method by the definitions of the methods
// that override it. clangd joins its index of the project with one of the opened
// files and what they include; what overrides a method it takes from whichever
// knows of it first, and that knows the declaration alone where the definition is
// in a file that was not opened. A question about the declaration itself is
// answered from both.
//
// References hold the declaration and the definition of an overrider,
// implementations the latter in place of the former; so does what a pure virtual
// method is defined as.
func (a *attempt) overriders(ctx context.Context, method string, found []Location) ([]Location, error) {
	switch method {
	case protocol.MethodTextDocumentReferences, protocol.MethodTextDocumentImplementation, protocol.MethodTextDocumentDefinition:
	default:
		return found, nil
	}
	if !a.c.indexed || a.name == "" {
		return found, nil // short, and said to be
	}
	declared := slices.DeleteFunc(slices.Clone(found), func(l Location) bool { return !l.Inside || !a.declaredOnly(l) })
	if len(declared) > 0 && method != protocol.MethodTextDocumentImplementation {
		if !a.sess.can(protocol.MethodTextDocumentImplementation) {
			return found, nil
		}
		raw, err := a.call(ctx, protocol.MethodTextDocumentImplementation, a.params())
		if err != nil {
			return nil, err
		}
		methods, err := a.conv.places(ctx, raw)
		if err != nil {
			return nil, a.unreadable(protocol.MethodTextDocumentImplementation, err)
		}
		declared = slices.DeleteFunc(declared, func(l Location) bool {
			_, is := slices.BinarySearchFunc(methods, l, compareLocations)
			return !is
		})
	}
	replace := method != protocol.MethodTextDocumentReferences
	missed := max(0, len(declared)-maxOverriders)
	out := slices.Clone(found)
	for batch := range slices.Chunk(declared[:len(declared)-missed], overridersAtOnce) {
		for i, raw := range a.definitions(ctx, batch) {
			definitions, err := a.conv.places(ctx, raw)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil || raw == nil:
				missed++
				continue
			case replace && len(definitions) > 0:
				out = slices.DeleteFunc(out, func(l Location) bool { return compareLocations(l, batch[i]) == 0 })
			}
			out = append(out, definitions...)
		}
	}
	if missed > 0 {
		a.c.partial("definitions of " + count(missed, "overriding method") + " not looked up")
	}
	return sortPlaces(out), nil
}

// definitions asks where the methods declared at ls are defined. Their files are
// opened for the questions, if nothing was remembered. An answer is nil where
// there is none.
func (a *attempt) definitions(ctx context.Context, ls []Location) []json.RawMessage {
	answers := make([]json.RawMessage, len(ls))
	var wg sync.WaitGroup
	defer wg.Wait()
	if !a.sess.lock(ctx) {
		return answers
	}
	defer a.sess.unlock()
	memo, epoch := &a.sess.overriders, a.sess.epoch
	for i, l := range ls {
		if answers[i] = memo.get(epoch, l); answers[i] != nil {
			continue
		}
		doc, err := a.sess.docs.open(l.File)
		if err != nil {
			continue
		}
		params, err := a.positionIn(a.sess.docs.snapshot(doc), l)
		if err != nil {
			a.sess.docs.release(doc)
			continue
		}
		wg.Go(func() {
			defer a.sess.docs.release(doc)
			if raw, err := a.call(ctx, protocol.MethodTextDocumentDefinition, params); err == nil {
				answers[i] = raw
				memo.put(epoch, l, raw)
			}
		})
	}
	return answers
}

// maxMemo bounds the definitions that a session remembers.
const maxMemo = 4096

// An overriderMemo remembers where overriders are defined, until something
// changes on disk: to open the files of many costs seconds.
type overriderMemo struct {
	mu    sync.Mutex
	epoch uint64 // of what is remembered
	known map[declaration]json.RawMessage
}

type declaration struct {
	file confine.File
	at   textpos.Point
}

// get returns the answer to a question about the declaration at l, nil when it
// was not asked in this epoch.
func (m *overriderMemo) get(epoch uint64, l Location) json.RawMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.epoch != epoch {
		return nil
	}
	return m.known[declaration{l.File, l.Start}]
}

func (m *overriderMemo) put(epoch uint64, l Location, answer json.RawMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || m.epoch != epoch || len(m.known) >= maxMemo {
		m.epoch, m.known = epoch, map[declaration]json.RawMessage{}
	}
	m.known[declaration{l.File, l.Start}] = answer
}

// positionIn is the TextDocumentPositionParams of the place l (LSP 3.17). It fails
// when the document is not what the place was read from.
func (a *attempt) positionIn(snap snapshot, l Location) (map[string]any, error) {
	if t := a.conv.read(l.File); t.gone || !bytes.Equal(snap.text.Text(), a.conv.text.Text()) {
		return nil, errors.New("the file changed")
	}
	offset, err := snap.text.PointOffset(l.Start)
	if err != nil {
		return nil, err
	}
	pos, err := snap.text.Position(offset, a.sess.hello.encoding)
	if err != nil {
		return nil, err
	}
	params := docParams(snap.doc.uri)
	params["position"] = pos
	return params, nil
}

// askAt sends a request about a place in another file than the asked one, which is
// opened for it.
func (a *attempt) askAt(ctx context.Context, method string, l Location) (json.RawMessage, error) {
	if !a.sess.lock(ctx) {
		return nil, ctx.Err()
	}
	doc, err := a.sess.docs.open(l.File)
	a.sess.unlock()
	if err != nil {
		return nil, err
	}
	defer a.sess.docs.release(doc)
	params, err := a.positionIn(a.sess.docs.snapshot(doc), l)
	if err != nil {
		return nil, err
	}
	return a.call(ctx, method, params)
}

// declaredOnly reports whether the method named at l has its body elsewhere.
func (a *attempt) declaredOnly(l Location) bool {
	if a.conv.read(l.File).gone {
		return false
	}
	offset, err := a.conv.text.PointOffset(l.End)
	return err == nil && bodiless(a.conv.text.Text()[offset:])
}

// bodiless reports whether C++ text that follows the name of a function declares
// it without a body: a parameter list, and then a semicolon before any brace or
// initialiser list, but not "= 0", "= default" or "= delete", which leave nothing
// to be defined. What is no function is not bodiless.
func bodiless(text []byte) bool {
	depth, lists, assigned := 0, 0, false
	for len(text) > 0 {
		c := text[0]
		switch {
		case bytes.HasPrefix(text, []byte("//")):
			text = after(text, "\n")
			continue
		case bytes.HasPrefix(text, []byte("/*")):
			text = after(text[2:], "*/")
			continue
		case c == '"' || c == '\'':
			text = afterLiteral(text)
			continue
		case bytes.HasPrefix(text, []byte("::")), bytes.HasPrefix(text, []byte("->")):
			text = text[2:]
			continue
		case c == '(':
			depth++
			lists++
		case c == ')':
			depth--
		case depth < 0:
			return false
		case depth > 0:
		case c == '{', c == ':':
			return false
		case c == '=' && lists > 0:
			assigned = true
		case c == ';':
			return lists > 0 && !assigned
		}
		text = text[1:]
	}
	return false
}

// after returns what follows the first end in text.
func after(text []byte, end string) []byte {
	_, rest, _ := bytes.Cut(text, []byte(end))
	return rest
}

// afterLiteral returns what follows the string or character literal that text
// begins with.
func afterLiteral(text []byte) []byte {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return text[i+1:]
		case '\n':
			return text[i:] // not closed
		}
	}
	return nil
}
