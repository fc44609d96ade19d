package cli

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
	"lspbridge/tools"
)

// abs makes a path that the user wrote absolute.
func (a *app) abs(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	if a.env.Dir == "" {
		return "", usage("change to a folder that exists, or write absolute paths", "the current folder is gone")
	}
	return filepath.Join(a.env.Dir, path), nil
}

// openWorkspace opens the root folders dirs, the current folder by default.
func (a *app) openWorkspace(dirs, exclude []string) (*confine.Workspace, error) {
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	var roots []string
	for _, d := range dirs {
		if d == "" {
			return nil, usage("write --workspace DIR", "the workspace's name is empty")
		}
		root, err := a.abs(d)
		if err != nil {
			return nil, err
		}
		roots = append(roots, root)
	}
	excluded, err := excluder(exclude, len(roots) > 1)
	if err != nil {
		return nil, err
	}
	ws, err := confine.Open(roots, confine.Options{Home: a.env.Home, Excluded: excluded})
	if err != nil {
		return nil, failure(tools.ClassUsage, "bad_workspace", "name a folder of source code with --workspace DIR", "%v", err)
	}
	return ws, nil
}

// excluder returns the rule of --exclude: a file is kept out when a glob matches
// its path or that of a folder it is in. With several roots (named) a glob is
// relative to the workspace or to each root.
func excluder(globs []string, named bool) (func(string) bool, error) {
	if len(globs) == 0 {
		return nil, nil
	}
	for i, g := range globs {
		g = strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(g), "./"), "/")
		if g == "" || !doublestar.ValidatePattern(g) {
			return nil, usage("globs are written like vendor, **/*.pb.go or {gen,out}/**", "%q is no glob", globs[i])
		}
		if path.IsAbs(g) || filepath.IsAbs(g) || slices.Contains(strings.Split(g, "/"), "..") {
			// It would match nothing, and what was to be hidden be shown.
			return nil, usage("write it as answers show paths, like vendor or **/*.pb.go", "the glob %q is not relative to the workspace", globs[i])
		}
		globs[i] = g
	}
	matches := func(file string) bool {
		for p := file; p != "." && p != "/" && p != ""; p = path.Dir(p) {
			for _, g := range globs {
				if ok, _ := doublestar.Match(g, p); ok { // the patterns are valid
					return true
				}
			}
		}
		return false
	}
	return func(file string) bool {
		if matches(file) {
			return true
		}
		_, inRoot, ok := strings.Cut(file, "/")
		return named && ok && matches(inRoot)
	}, nil
}

// file returns the path of a file that the user wrote, relative to the current
// folder, as the tools get it: relative to the workspace. One that the workspace
// refuses is left to the tool, which says why: in the workspace's terms where it
// lies below a root, else absolute.
func (a *app) file(ws *confine.Workspace, spelled string) (string, error) {
	if spelled == "" {
		return "", usage("", "the file's name is empty")
	}
	if strings.HasPrefix(spelled, "file:") && a.kind(spelled) == pathMissing {
		path, err := textpos.URIPath(spelled)
		if err != nil {
			return "", usage("write a path", "%v", err)
		}
		spelled = path
	}
	full, err := a.abs(spelled)
	if err != nil {
		return "", err
	}
	f, err := ws.File(full)
	var refused *confine.Error
	switch {
	case errors.As(err, &refused):
		return belowRoot(ws.Roots(), full), nil
	case err != nil:
		return "", err
	}
	return ws.Shown(f), nil
}

// belowRoot returns a path below one of the roots as the workspace shows it, and
// any other as it is.
func belowRoot(roots []confine.Root, full string) string {
	for _, r := range roots {
		rel, err := filepath.Rel(r.Shown, full)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if len(roots) > 1 {
			rel = filepath.Join(r.Name, rel)
		}
		return filepath.ToSlash(rel)
	}
	return full
}
