package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Root is one root folder of a workspace.
type Root struct {
	Name      string // unique among the roots; the first path element of answers when there are several
	Shown     string // absolute, as the user spelled it
	Canonical string // absolute, symbolic links resolved
}

// Open opens the root folders dirs, which are absolute paths. It refuses "/",
// the home folder, a folder that is missing, a file, a root nested in another,
// and a root given twice, however they are spelled. The error is an [*Error].
func Open(dirs []string, o Options) (*Workspace, error) {
	if len(dirs) == 0 {
		return nil, &Error{Reason: NoFolders}
	}
	w := &Workspace{excluded: o.Excluded}
	var infos []os.FileInfo
	for _, dir := range dirs {
		root, opened, info, err := openRoot(dir, o.Home)
		if err == nil {
			w.opened = append(w.opened, opened)
			err = w.distinct(root, info, infos, dir)
		}
		if err != nil {
			_ = w.Close() // the error that stopped the opening is the one to tell
			return nil, err
		}
		w.roots = append(w.roots, root)
		infos = append(infos, info)
	}
	name(w.roots)
	for i, r := range w.roots {
		w.spellings = append(w.spellings, spelling{i, elements(r.Canonical)}, spelling{i, elements(r.Shown)})
	}
	return w, nil
}

// openRoot opens one root folder and checks what can be said of it alone. The
// path may lead through links; what is opened is the folder they lead to.
func openRoot(dir, home string) (Root, *os.Root, os.FileInfo, error) {
	fail := func(reason Reason, err error) (Root, *os.Root, os.FileInfo, error) {
		return Root{}, nil, nil, &Error{Path: dir, Reason: reason, Err: bare(err)}
	}
	switch {
	case dir == "":
		return fail(Empty, nil)
	case !utf8.ValidString(dir):
		return fail(NotUTF8, nil)
	case strings.ContainsRune(dir, 0):
		return fail(HasNUL, nil)
	case !filepath.IsAbs(dir):
		return fail(NotAbsolute, nil)
	}
	canonical, err := filepath.EvalSymlinks(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fail(NoFolder, err)
	case errors.Is(err, fs.ErrPermission):
		return fail(NotPermitted, err)
	case err != nil:
		return fail(NoFolder, err)
	case !utf8.ValidString(canonical):
		return fail(NotUTF8, nil)
	case filepath.Dir(canonical) == canonical:
		return fail(WholeSystem, nil)
	}
	if info, err := os.Stat(canonical); err == nil && !info.IsDir() {
		return fail(NotFolder, nil)
	}
	opened, err := os.OpenRoot(canonical)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return fail(NotPermitted, err)
		}
		return fail(NoFolder, err)
	}
	info, err := opened.Stat(".")
	if err != nil {
		opened.Close()
		return fail(NoFolder, err)
	}
	if h, err := os.Stat(home); err == nil && os.SameFile(h, info) {
		opened.Close()
		return fail(HomeFolder, nil)
	}
	// Cleaning is lexical: where it names another folder than the spelling
	// did (a ".." behind a link), the canonical path is the one to show.
	shown := filepath.Clean(dir)
	if s, err := os.Stat(shown); err != nil || !os.SameFile(s, info) {
		shown = canonical
	}
	return Root{Shown: shown, Canonical: canonical}, opened, info, nil
}

// distinct refuses a root that is, holds, or lies in one of those before it.
func (w *Workspace) distinct(root Root, info os.FileInfo, infos []os.FileInfo, dir string) error {
	for i, other := range w.roots {
		if os.SameFile(info, infos[i]) {
			return &Error{Path: dir, Reason: TwiceGiven}
		}
		_, in := under(other.Canonical, root.Canonical)
		_, around := under(root.Canonical, other.Canonical)
		if in || around {
			return &Error{Path: dir, Reason: NestedFolders}
		}
	}
	return nil
}

// name gives each root the last element of its path as its name, and a number
// behind it where roots before it took that.
func name(roots []Root) {
	wanted, taken := make(map[string]int), make(map[string]bool)
	for i := range roots {
		wanted[filepath.Base(roots[i].Shown)]++
	}
	for i := range roots {
		base := filepath.Base(roots[i].Shown)
		candidate := base
		// A number must not make the name that another root has by itself.
		for n := 2; taken[candidate] || candidate != base && wanted[candidate] > 0; n++ {
			candidate = base + "-" + strconv.Itoa(n)
		}
		taken[candidate] = true
		roots[i].Name = candidate
	}
}

// under returns the path of abs relative to the folder dir, both clean, by
// whole elements: /ws-evil is not under /ws.
func under(dir, abs string) (rel string, ok bool) {
	if abs == dir {
		return "", true
	}
	rel, ok = strings.CutPrefix(abs, dir)
	if !ok || rel == "" || !os.IsPathSeparator(rel[0]) {
		return "", false
	}
	return rel[1:], true
}
