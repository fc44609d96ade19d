package lspclient

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"lspbridge/limits/confine"
)

// goWork finds the go.work that counts for a folder: the nearest one above it,
// also outside the workspace. It returns the absolute folders that it uses.
func (p *Pool) goWork(dir confine.File) (uses map[string]bool, found bool) {
	ws := p.o.Workspace
	for rel := dir.Rel; ; rel = path.Dir(rel) {
		f := confine.File{Root: dir.Root, Rel: path.Join(rel, "go.work")}
		if text, _, err := ws.Read(f, p.o.Limits.FileBytes); err == nil {
			return usedBy(filepath.Dir(ws.Abs(f)), string(text)), true
		}
		if rel == "." || rel == "/" {
			break
		}
	}
	for above := filepath.Dir(ws.Roots()[dir.Root].Canonical); ; above = filepath.Dir(above) {
		if text := readOutside(filepath.Join(above, "go.work"), p.o.Limits.FileBytes); text != nil {
			return usedBy(above, string(text.Text())), true
		}
		if filepath.Dir(above) == above {
			return nil, false
		}
	}
}

// usedBy reads the use directives of a go.work in dir.
func usedBy(dir, text string) map[string]bool {
	uses := map[string]bool{}
	block := false
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		if block && line == ")" {
			block = false
			continue
		}
		if !block {
			rest, ok := strings.CutPrefix(line, "use")
			if !ok || rest == "" || !strings.ContainsRune(" \t(\"`", rune(rest[0])) {
				continue
			}
			line = strings.TrimSpace(rest)
			if line == "(" {
				block = true
				continue
			}
		}
		if unquoted, err := strconv.Unquote(line); err == nil {
			line = unquoted
		}
		if line == "" {
			continue
		}
		used := filepath.FromSlash(line)
		if !filepath.IsAbs(used) {
			used = filepath.Join(dir, used)
		}
		uses[filepath.Clean(used)] = true
	}
	return uses
}
