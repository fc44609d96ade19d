package lspclient

import (
	"bytes"
	"encoding/json"
	"slices"

	"lspbridge/lspclient/textpos"
)

// A publication is the latest that a server published of an open document by
// itself (LSP 3.17 §publishDiagnostics).
type publication struct {
	version  int32           // that it is about; the server is through with that text. 0: none yet
	count    int             // how often the server published since the document was opened or changed
	unnamed  bool            // the server does not say which version it is about
	items    json.RawMessage // the diagnostics
	oversize bool            // they are over the bounds, and not kept
}

// published holds what was published, by the path of an open document. Of closed
// ones nothing is kept: what a server publishes when it lets go of a document, an
// empty list, says nothing about the file.
type published map[string]publication

// What of diagnostics is kept for who asks for it.
const (
	maxPublication = 4 << 20  // bytes of one document
	maxPublished   = 32 << 20 // bytes of all
)

// keep takes the items of a publication in, if there is room.
func (p published) keep(path string, items json.RawMessage) (kept json.RawMessage, oversize bool) {
	all := len(items)
	for other, pub := range p {
		if other != path {
			all += len(pub.items)
		}
	}
	if len(items) > maxPublication || all > maxPublished {
		return nil, true
	}
	return bytes.Clone(items), false
}

// diagnostics notes what the server published. That of an older version than was
// published before is dropped.
func (e *events) diagnostics(params json.RawMessage) {
	var p struct {
		URI         string
		Version     *int32
		Diagnostics json.RawMessage
	}
	if unmarshal(params, &p) != nil {
		return
	}
	path, err := textpos.URIPath(p.URI)
	if err != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	pub, open := e.published[path]
	e.namesVersions = e.namesVersions || p.Version != nil
	if !open || p.Version != nil && *p.Version < pub.version || p.Version == nil && e.namesVersions {
		return // without a version: what clangd publishes when it lets go of a document
	}
	pub.count++
	pub.unnamed = p.Version == nil
	if p.Version != nil {
		pub.version = *p.Version
		if e.parsed != nil {
			e.parsed(path, fails(p.Diagnostics))
		}
	}
	pub.items, pub.oversize = e.published.keep(path, p.Diagnostics)
	e.published[path] = pub
	e.signal()
}

// fails reports whether there is an error among diagnostics.
func fails(items json.RawMessage) bool {
	var list []struct{ Severity int }
	return json.Unmarshal(items, &list) == nil && slices.ContainsFunc(list, func(d struct{ Severity int }) bool { return d.Severity == 1 })
}

// opened begins to note what the server publishes of the document at path;
// edited forgets what it published of an earlier text; closed ends it.
func (e *events) opened(path string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.published[path] = publication{}
}

func (e *events) edited(path string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if pub, open := e.published[path]; open {
		e.published[path] = publication{version: pub.version}
	}
}

func (e *events) closed(path string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.published, path)
}

// hasRead reports whether the server is through with version of the document at
// path, and returns a channel that is closed when that may have changed.
func (e *events) hasRead(path string, version int32) (bool, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	pub, open := e.published[path]
	return !open || pub.version >= version, e.changed
}

// publication returns what was published of the open document at path, and a
// channel that is closed when that may have changed.
func (e *events) publication(path string) (pub publication, open bool, changed <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	pub, open = e.published[path]
	return pub, open, e.changed
}
