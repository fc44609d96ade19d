package lspclient

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// abroad are the files outside the workspace that a server builds together with
// those inside: of modules that a go.mod or go.work replaces others by, or uses,
// of a go.work above the workspace, and of folders that the server asked to be
// told of. No watch leads there. session.telling guards it.
type abroad struct {
	seq   uint64   // of the disk state that named is of
	named []string // folders that go.mod and go.work name
	built foreign  // those folders, looked at before each question
	asked foreign  // those the server asked for (libraries), at times
	swept time.Time
}

// A foreign is what was seen of some folders.
type foreign struct {
	known map[string]bool        // folders
	files map[string]foreignFile // by absolute path
	over  bool                   // there are more than maxAbroad
}

// A foreignFile is what was seen of one of them. One that was young may have
// changed since without a change of its stamp.
type foreignFile struct {
	stamp confine.Stamp
	young bool
}

// maxAbroad bounds the files and folders looked at.
const maxAbroad = 20_000

// maxPackages bounds the packages whose installed dependencies are looked at.
const maxPackages = 200

// update looks again, and returns what changed in folders that were looked at
// before.
func (a *abroad) update(sess *session) map[string]changeKind {
	if seq := sess.srv.pool.disk.current(); sess.goBuild != nil && a.seq != seq {
		a.seq, a.named = seq, sess.goFolders()
	}
	changes := a.built.update(sess, sess.foreignFolders(a.named), func(files map[string]foreignFile) {
		if sess.goBuild != nil {
			sess.filesAbove(files)
		}
		if sess.entry.Quirks.Projects.Any() {
			sess.installed(files)
		}
	})
	if time.Since(a.swept) > sweepEvery {
		var bases []string
		for _, w := range sess.watchers() {
			bases = append(bases, w.base)
		}
		a.swept = time.Now()
		maps.Copy(changes, a.asked.update(sess, sess.foreignFolders(bases), func(map[string]foreignFile) {}))
	}
	return changes
}

// update looks again at folders, and at the single files that add adds.
func (a *foreign) update(sess *session, folders []string, add func(map[string]foreignFile)) map[string]changeKind {
	changes := map[string]changeKind{}
	files, known := map[string]foreignFile{}, map[string]bool{"": true}
	a.over = false
	for _, dir := range folders {
		known[dir] = true
		a.over = !sess.foreignFiles(dir, files) || a.over
	}
	add(files)
	for name, now := range files {
		was, ok := a.files[name]
		switch {
		case !ok && !a.known[holder(folders, name)]: // its folder is new to the server
		case !ok:
			changes[name] = fileCreated
		case was.young || was.stamp != now.stamp:
			changes[name] = fileChanged
		}
	}
	for name := range a.files {
		if _, ok := files[name]; !ok && known[holder(folders, name)] {
			changes[name] = fileDeleted
		}
	}
	a.files, a.known = files, known
	return changes
}

// holder returns the one of folders that name is below, or "" of a single file.
func holder(folders []string, name string) string {
	for _, dir := range folders {
		if strings.HasPrefix(name, dir+string(filepath.Separator)) {
			return dir
		}
	}
	return ""
}

// foreignFolders returns those of folders that are outside the roots, absolute and
// none below another.
func (sess *session) foreignFolders(all []string) []string {
	var out []string
	for _, dir := range all {
		if dir == "" || !filepath.IsAbs(dir) {
			continue
		}
		dir = filepath.Clean(dir)
		// A folder around a root is left out: what belongs to the build there is
		// named apart.
		if slices.ContainsFunc(sess.srv.pool.o.Workspace.Roots(), func(r confine.Root) bool { return below(r.Canonical, dir) || below(dir, r.Canonical) }) {
			continue
		}
		out = slices.DeleteFunc(out, func(other string) bool { return below(dir, other) })
		if !slices.ContainsFunc(out, func(other string) bool { return below(other, dir) }) {
			out = append(out, dir)
		}
	}
	return out
}

// below reports whether path is dir or below it; both are clean.
func below(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// installs are files that package managers write into node_modules whenever they
// change what is installed there. Those folders are too large to be watched.
var installs = []string{".package-lock.json", ".yarn-integrity", ".yarn-state.yml", ".modules.yaml"}

// installed adds those of the workspace's packages to files.
func (sess *session) installed(files map[string]foreignFile) {
	p := sess.srv.pool
	var dirs []string
	p.disk.each(func(f confine.File) bool {
		if path.Base(f.Rel) == "package.json" {
			dirs = append(dirs, filepath.Dir(p.o.Workspace.Abs(f)))
		}
		return len(dirs) < maxPackages
	})
	for _, dir := range dirs {
		for _, name := range installs {
			addForeign(filepath.Join(dir, "node_modules", name), files)
		}
	}
}

// addForeign adds a file to files, if it is one.
func addForeign(name string, files map[string]foreignFile) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	stamp := confine.StampOf(info)
	files[name] = foreignFile{stamp, time.Now().UnixNano()-max(stamp.MTime, stamp.CTime) < int64(clockTick)}
}

// foreignFiles adds the server's files below a folder to files; false if there
// are too many.
func (sess *session) foreignFiles(dir string, files map[string]foreignFile) bool {
	left := maxAbroad - len(files)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch left--; {
		case left < 0:
			return fs.SkipAll
		case err != nil:
			return nil // what cannot be read the server cannot read either
		case d.IsDir():
			if name != dir && skippedDir(d.Name()) {
				return fs.SkipDir
			}
			return nil
		case !sess.concerns(confine.File{Rel: d.Name()}):
			return nil
		}
		addForeign(name, files)
		return nil
	})
	return err == nil && left >= 0
}

// tellAbroad tells the server what changed outside the workspace, and reports
// whether anything did. Where files came or went it asks for a new start.
func (sess *session) tellAbroad(c *collector) (bool, error) {
	changes := sess.abroad.update(sess)
	if sess.abroad.built.over {
		c.partial("the folders outside the workspace that belong to its build hold too many files to see what changes in them")
	}
	if len(changes) == 0 {
		return false, nil
	}
	var events []fileEvent
	for _, name := range sortedKeys(changes) {
		if base := filepath.Base(name); changes[name] != fileChanged || isBuildFile(base) || slices.Contains(installs, base) {
			return false, errRestart
		}
		if uri, err := textpos.PathURI(name); err == nil {
			events = append(events, fileEvent{uri, changes[name]})
		}
	}
	return true, sess.conn.notify(protocol.MethodWorkspaceDidChangeWatchedFiles, map[string]any{"changes": events})
}
