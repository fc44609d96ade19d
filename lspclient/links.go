package lspclient

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A DocumentLink is a text in a file that leads to another document: exactly one
// of Target and URL is set, none where the server did not say where it leads.
type DocumentLink struct {
	Place  Location
	Target *Location // a document, as a place without extent
	URL    string    // on the web: http or https
}

// DocumentLinks is an answer made of links, in the order of the text.
type DocumentLinks = List[DocumentLink]

// DocumentLinks asks for the links in a file (LSP 3.17 §documentLink). A link
// without a target is resolved where the server can do so.
func (p *Pool) DocumentLinks(ctx context.Context, f confine.File) (DocumentLinks, error) {
	const method = protocol.MethodTextDocumentDocumentLink
	type link struct {
		Range  *textpos.PositionRange
		Target string
	}
	var again resolver
	out, err := listAbout(ctx, p, aboutFile(method, f), again.reset(method), func(ctx context.Context, a *attempt, raw json.RawMessage) (DocumentLink, bool) {
		var l link
		if !a.decodes(raw, &l) {
			return DocumentLink{}, false
		}
		place, ok := a.here(l.Range)
		if !ok {
			return DocumentLink{}, false
		}
		if l.Target == "" {
			var resolved link
			if again.resolve(ctx, a, protocol.MethodDocumentLinkResolve, raw, &resolved) {
				l.Target = resolved.Target
			}
		}
		out := DocumentLink{Place: place}
		return out, l.Target == "" || a.leadsTo(l.Target, &out)
	})
	slices.SortStableFunc(out.Items, func(a, b DocumentLink) int {
		return cmp.Or(compareLocations(a.Place, b.Place), strings.Compare(a.URL, b.URL))
	})
	return out, err
}

// leadsTo reads where a link leads to. It reports false for a document that is
// kept out of every answer, and for what is no URI.
func (a *attempt) leadsTo(target string, l *DocumentLink) bool {
	switch scheme := textpos.Scheme(target); {
	case len(target) > maxURI || scheme == "":
		a.conv.odd++
		return false
	case scheme == "http" || scheme == "https":
		l.URL = kept(target, maxURI)
		return true
	case scheme != "file":
		l.Target = &Location{URI: strings.Clone(target), Start: textpos.Point{Line: 1, Column: 1}, End: textpos.Point{Line: 1, Column: 1}}
		return true
	}
	// A fragment names a place inside the document, in the server's own way.
	target, _, _ = strings.Cut(target, "#")
	abs, err := textpos.URIPath(target)
	if err != nil {
		a.conv.odd++
		return false
	}
	start := textpos.Point{Line: 1, Column: 1}
	ws := a.sess.srv.pool.o.Workspace
	if f, inside := a.conv.locate.Locate(abs); inside {
		l.Target = &Location{Inside: true, File: f, Start: start, End: start}
		return true
	}
	if ws.Hidden(abs) {
		a.conv.hidden++
		return false
	}
	if slices.ContainsFunc(ws.Roots(), func(r confine.Root) bool { return r.Canonical == abs }) {
		a.conv.odd++ // a folder is no document
		return false
	}
	l.Target = &Location{URI: strings.Clone(target), Path: abs, Start: start, End: start}
	return true
}
