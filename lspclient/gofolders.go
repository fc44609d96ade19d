package lspclient

import (
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"lspbridge/limits/confine"
)

// filesAbove adds the go.mod and go.work files above the roots to files, and a
// go.work that the environment names.
func (sess *session) filesAbove(files map[string]foreignFile) {
	if work := sess.goBuild.work; filepath.IsAbs(work) {
		addForeign(work, files)
	}
	for _, r := range sess.srv.pool.o.Workspace.Roots() {
		for dir := filepath.Dir(r.Canonical); ; dir = filepath.Dir(dir) {
			for _, name := range []string{"go.mod", "go.work"} {
				addForeign(filepath.Join(dir, name), files)
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
}

// goFolders lists the folders that the go.mod and go.work files of the workspace,
// and the go.work above it, lead to.
func (sess *session) goFolders() []string {
	p := sess.srv.pool
	var out []string
	for i := range p.o.Workspace.Roots() {
		uses, _ := sess.goWork(confine.File{Root: i, Rel: "."})
		out = append(out, sortedKeys(uses)...)
	}
	var files []confine.File
	p.disk.each(func(f confine.File) bool {
		if name := path.Base(f.Rel); (name == "go.mod" || name == "go.work") && !inTestdata(f) && !ignoredByGo(f) {
			files = append(files, f)
		}
		return true
	})
	for _, f := range files {
		text, _, err := p.o.Workspace.Read(f, p.o.Limits.FileBytes)
		if err != nil {
			continue
		}
		dir := filepath.Dir(p.o.Workspace.Abs(f))
		var replaces []*modfile.Replace
		if path.Base(f.Rel) == "go.work" {
			for used := range usedBy(dir, string(text)) {
				out = append(out, used)
			}
			if work, err := modfile.ParseWork("go.work", text, nil); err == nil {
				replaces = work.Replace
			}
		} else if mod, err := modfile.Parse("go.mod", text, nil); err == nil {
			replaces = mod.Replace
		}
		for _, r := range replaces {
			if r.New.Version == "" {
				to := filepath.FromSlash(r.New.Path)
				if !filepath.IsAbs(to) {
					to = filepath.Join(dir, to)
				}
				out = append(out, to)
			}
		}
	}
	return out
}
