package lspclient

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/servers"
)

// errRestart says that the server can only be brought up to date by a new start.
var errRestart = errors.New("the server is started anew to see what changed")

// fresh makes what the server knows equal to the disk as it was when fresh was
// called, or later. When f is not nil the file is then opened, and pinned until
// release is called.
func (sess *session) fresh(ctx context.Context, f *confine.File, c *collector) (snap snapshot, release func(), err error) {
	release = func() {}
	disk := sess.srv.pool.disk
	seq, err := sess.srv.pool.syncFor(ctx, sess.entry)
	if err != nil {
		return snap, release, err
	}
	if !sess.lock(ctx) {
		return snap, release, ctx.Err()
	}
	defer sess.unlock()
	changes, ok := disk.since(sess.told)
	if !ok {
		return snap, release, errRestart
	}
	changes = sess.mine(changes)
	if sess.entry.Quirks.DeafToDisk {
		err = sess.cycle(ctx, changes, c)
	} else {
		err = sess.tell(changes)
		if err == nil && sess.entry.Quirks.NewWhenOpened {
			err = sess.showNew(changes)
		}
	}
	if err != nil {
		return snap, release, err
	}
	abroad, err := sess.tellAbroad(c)
	if err != nil {
		return snap, release, err
	}
	// An open document hides the disk, whether or not its name is tracked.
	for _, doc := range sess.docs.all() {
		if state, ok := disk.state(doc.file); ok && !state.young && state.stamp == sess.docs.stamp(doc) {
			continue
		}
		changed, err := sess.docs.refresh(doc)
		if err != nil {
			return snap, release, err
		}
		if changed {
			changes = append(changes, change{file: doc.file, kind: fileChanged})
		}
	}
	if sess.entry.Quirks.DeafToDisk {
		// Each document but the asked one: the question itself waits for that.
		others := slices.DeleteFunc(sess.docs.all(), func(doc *document) bool { return f != nil && doc.file == *f })
		if err := sess.settle(ctx, others, c); err != nil {
			return snap, release, err
		}
	}
	if (len(changes) > 0 || abroad) && sess.entry.Quirks.LoadsWhenAsked {
		if err := sess.load(ctx, changes); err != nil {
			return snap, release, err
		}
	}
	sess.told = max(sess.told, seq)
	if len(changes) > 0 || abroad {
		sess.epoch++
	}
	if f != nil {
		doc, err := sess.docs.open(*f)
		if err != nil {
			return snap, release, err
		}
		snap = sess.docs.snapshot(doc)
		release = func() { sess.docs.release(doc) }
	}
	return snap, release, nil
}

// showNew opens the files that are new: the server takes them in later by itself,
// but now when they are opened. telling is held.
func (sess *session) showNew(changes []change) error {
	n := 0
	for _, c := range changes {
		if c.kind != fileCreated || !sess.served(c.file) {
			continue
		}
		if n++; n > maxCycle {
			return errRestart
		}
		doc, err := sess.docs.open(c.file)
		if errors.Is(err, errQueueFull) || errors.Is(err, errConnClosed) {
			return err
		}
		if err == nil {
			sess.docs.release(doc)
		}
	}
	return nil
}

// mine keeps the changes that matter to the server.
func (sess *session) mine(changes []change) []change {
	return slices.DeleteFunc(changes, func(c change) bool { return !sess.concerns(c.file) })
}

// A fileEvent is a FileEvent of LSP (3.17 §didChangeWatchedFiles).
type fileEvent struct {
	URI  string     `json:"uri"`
	Type changeKind `json:"type"`
}

// tell passes changes on as one batch (LSP 3.17 §didChangeWatchedFiles).
func (sess *session) tell(changes []change) error {
	var events []fileEvent
	watchers := sess.watchers()
	for _, c := range changes {
		if watchers != nil && !watchers.match(sess.srv.pool.o.Workspace.Abs(c.file), c.kind) {
			continue
		}
		uri, err := sess.srv.pool.uri(c.file)
		if err != nil {
			continue // a name that no URI can carry was never told of
		}
		events = append(events, fileEvent{uri, c.kind})
	}
	if len(events) == 0 {
		return nil
	}
	return sess.conn.notify(protocol.MethodWorkspaceDidChangeWatchedFiles, map[string]any{"changes": events})
}

// concerns reports whether a change of the file matters to the server.
func (sess *session) concerns(f confine.File) bool {
	name := path.Base(f.Rel)
	if s, _, ok := sess.srv.pool.o.Catalog.For(name); ok {
		return s.Name == sess.entry.Name
	}
	if owner, ok := buildFileOf(name); ok {
		return owner == sess.entry.Name || sess.entry.Origin == servers.OriginUser
	}
	return widens(sess.entry) && sess.srv.pool.disk.isNamed(name)
}

// isBuildFile reports whether servers take their settings from files of this name.
func isBuildFile(name string) bool {
	_, ok := buildFileOf(name)
	return ok
}

// buildFileOf returns the built-in server that takes its settings from files of
// this name. What servers of the user take theirs from is not known: it may be any
// of these files.
func buildFileOf(name string) (server string, ok bool) {
	if strings.HasPrefix(name, "tsconfig.") && path.Ext(name) == ".json" {
		return "typescript", true
	}
	if path.Ext(name) == ".rsp" { // arguments of a compiler
		return "clangd", true
	}
	server, ok = buildFiles[name]
	return server, ok
}

var buildFiles = map[string]string{
	"compile_commands.json": "clangd", "compile_flags.txt": "clangd", ".clangd": "clangd", ".clang-format": "clangd", ".clang-tidy": "clangd",
	"go.mod": "gopls", "go.sum": "gopls", "go.work": "gopls", "go.work.sum": "gopls",
	"Cargo.toml": "rust-analyzer", "Cargo.lock": "rust-analyzer", "rust-toolchain.toml": "rust-analyzer",
	"package.json": "typescript", "jsconfig.json": "typescript",
	"pyproject.toml": "pyright", "pyrightconfig.json": "pyright",
}
