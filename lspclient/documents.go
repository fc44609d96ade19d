package lspclient

import (
	"container/list"
	"context"
	"fmt"
	"path"
	"sync"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A document is a file open in a server. Its text, version and stamp change
// together, under documents.mu.
type document struct {
	file    confine.File
	uri     string
	version int32
	text    *textpos.Mapper
	stamp   confine.Stamp
	edited  bool // its text changed since it was opened
	pins    int  // questions under way that need it open
	node    *list.Element
}

// A snapshot is one version of a document: what the server knows it as.
type snapshot struct {
	doc     *document
	version int32
	text    *textpos.Mapper
}

// documents is the set of files open in one server, least recently used last. An
// open document hides the disk from the server, so each is compared with the
// disk before every question. Callers of open, refresh and close hold
// session.telling, which keeps versions in the order of the wire.
type documents struct {
	sess *session
	most int

	mu     sync.Mutex
	byFile map[confine.File]*document
	recent *list.List
	met    map[confine.File]bool // files that were open at some time
	last   int32                 // versions rise over the whole session, so none is used twice
}

func newDocuments(sess *session, most int) *documents {
	return &documents{sess: sess, most: most, byFile: map[confine.File]*document{}, recent: list.New(), met: map[confine.File]bool{}}
}

// open opens f, or takes the open document, and pins it. The text is the disk's.
func (d *documents) open(f confine.File) (*document, error) {
	d.mu.Lock()
	if doc := d.byFile[f]; doc != nil {
		doc.pins++
		d.recent.MoveToFront(doc.node)
		d.mu.Unlock()
		return doc, nil
	}
	d.mu.Unlock()
	text, stamp, err := d.read(f)
	if err != nil {
		return nil, err
	}
	uri, err := d.sess.srv.pool.uri(f)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.last++
	doc := &document{file: f, uri: uri, version: d.last, text: text, stamp: stamp, pins: 1}
	doc.node = d.recent.PushFront(doc)
	d.byFile[f], d.met[f] = doc, true
	d.mu.Unlock()
	d.sess.events.opened(d.path(f))
	err = d.sess.conn.notify(protocol.MethodTextDocumentDidOpen, map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": d.sess.languageID(path.Base(f.Rel)), "version": doc.version, "text": text.Sendable(),
	}})
	if err != nil {
		return nil, err
	}
	return doc, d.evict()
}

// release gives up a pin.
func (d *documents) release(doc *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc.pins--
}

// snapshot returns the version of doc that the server knows.
func (d *documents) snapshot(doc *document) snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	return snapshot{doc, doc.version, doc.text}
}

// current reports whether the server still knows the document as s.
func (d *documents) current(s snapshot) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return s.doc.version == s.version && d.byFile[s.doc.file] == s.doc
}

// get returns the open document of f, or nil.
func (d *documents) get(f confine.File) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.byFile[f]
}

// stamp returns the state of the disk that the server's text is from.
func (d *documents) stamp(doc *document) confine.Stamp {
	d.mu.Lock()
	defer d.mu.Unlock()
	return doc.stamp
}

// knows reports whether the server was shown f: it keeps what it learnt from a
// file that was closed again.
func (d *documents) knows(f confine.File) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.met[f]
}

// lookup returns the text of f if it is open, as the server knows it.
func (d *documents) lookup(f confine.File) (*textpos.Mapper, confine.Stamp, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.byFile[f]; doc != nil {
		return doc.text, doc.stamp, true
	}
	return nil, confine.Stamp{}, false
}

// version returns the version of f that the server knows, if it is open.
func (d *documents) version(f confine.File) (int32, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.byFile[f]; doc != nil {
		return doc.version, true
	}
	return 0, false
}

// evict closes the least recently used documents over the limit that no
// question needs.
func (d *documents) evict() error {
	for {
		d.mu.Lock()
		var victim *document
		if d.recent.Len() > d.most {
			for e := d.recent.Back(); e != nil; e = e.Prev() {
				if doc := e.Value.(*document); doc.pins == 0 {
					victim = doc
					break
				}
			}
		}
		d.mu.Unlock()
		if victim == nil {
			return nil
		}
		if err := d.close(victim); err != nil {
			return err
		}
	}
}

// close closes a document (LSP 3.17 §didClose): the disk is the truth again.
func (d *documents) close(doc *document) error {
	d.mu.Lock()
	if d.byFile[doc.file] != doc {
		d.mu.Unlock()
		return nil
	}
	delete(d.byFile, doc.file)
	d.recent.Remove(doc.node)
	d.mu.Unlock()
	d.sess.events.closed(d.path(doc.file))
	return d.sess.conn.notify(protocol.MethodTextDocumentDidClose, map[string]any{"textDocument": map[string]any{"uri": doc.uri}})
}

// closeUnbuilt closes the documents that the build leaves out and no question
// needs. While one is open gopls also loads the workspace as a system has it that
// builds the file: a search over all of it would find more or, since the answer is
// cut, less than before that file was asked about.
func (sess *session) closeUnbuilt(ctx context.Context) error {
	if sess.goBuild == nil {
		return nil
	}
	if !sess.lock(ctx) {
		return ctx.Err()
	}
	defer sess.unlock()
	for _, doc := range sess.docs.unpinned() {
		if name := path.Base(doc.file.Rel); path.Ext(name) == ".go" && sess.goBuild.leavesOut(name, sess.docs.snapshot(doc).text.Text()) {
			if err := sess.docs.close(doc); err != nil {
				return err
			}
		}
	}
	return nil
}

// reopen closes a document that was changed since it was opened, and opens it
// again with the same pins, for servers whose first words about a changed text
// may be about what it includes as that was before.
func (d *documents) reopen(doc *document) (*document, error) {
	d.mu.Lock()
	edited := doc.edited
	d.mu.Unlock()
	if !edited {
		return doc, nil
	}
	if err := d.close(doc); err != nil {
		return nil, err
	}
	return d.open(doc.file)
}

// refresh makes the server's text of an open document equal to the disk's, and
// reports whether it was not. A file that is gone, or cannot be read any more, is
// closed.
func (d *documents) refresh(doc *document) (changed bool, err error) {
	text, stamp, err := d.read(doc.file)
	if err != nil {
		return true, d.close(doc)
	}
	d.mu.Lock()
	if string(text.Text()) == string(doc.text.Text()) {
		doc.stamp = stamp
		d.mu.Unlock()
		return false, nil
	}
	d.last++
	doc.version, doc.text, doc.stamp, doc.edited = d.last, text, stamp, true
	d.mu.Unlock()
	d.sess.events.edited(d.path(doc.file))
	return true, d.sess.conn.notify(protocol.MethodTextDocumentDidChange, map[string]any{
		"textDocument":   map[string]any{"uri": doc.uri, "version": doc.version},
		"contentChanges": []map[string]string{{"text": text.Sendable()}},
	})
}

// all returns the open documents.
func (d *documents) all() []*document {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]*document, 0, len(d.byFile))
	for e := d.recent.Front(); e != nil; e = e.Next() {
		out = append(out, e.Value.(*document))
	}
	return out
}

// unpinned returns the open documents that no question needs.
func (d *documents) unpinned() []*document {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []*document
	for _, doc := range d.byFile {
		if doc.pins == 0 {
			out = append(out, doc)
		}
	}
	return out
}

func (d *documents) path(f confine.File) string { return d.sess.srv.pool.o.Workspace.Abs(f) }

func (d *documents) read(f confine.File) (*textpos.Mapper, confine.Stamp, error) {
	p := d.sess.srv.pool
	text, stamp, err := p.o.Workspace.Read(f, p.o.Limits.FileBytes)
	if err != nil {
		return nil, stamp, &Error{Code: CodeBadFile, Msg: fmt.Sprintf("%s cannot be read: %s", p.o.Workspace.Shown(f), oneLine(err.Error())), Err: err}
	}
	return textpos.NewMapper(text), stamp, nil
}
