package lspclient

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"lspbridge/limits/confine"
)

// splitFlags splits the value of GOFLAGS as the go command does: a flag with
// blanks in it stands between quotes.
func splitFlags(value string) []string {
	var out []string
	for value = strings.TrimLeft(value, " \t\r\n"); value != ""; value = strings.TrimLeft(value, " \t\r\n") {
		if quote := value[0]; quote == '\'' || quote == '"' {
			if end := strings.IndexByte(value[1:], quote); end >= 0 {
				out, value = append(out, value[1:1+end]), value[2+end:]
				continue
			}
		}
		end := strings.IndexAny(value, " \t\r\n")
		if end < 0 {
			end = len(value)
		}
		out, value = append(out, value[:end]), value[end:]
	}
	return out
}

// instrumented returns the tags that the go command sets for flags which change
// how all is compiled.
func instrumented(flags []string) []string {
	var out []string
	for _, flag := range flags {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(flag, "-"), "-"), "=")
		if (name == "race" || name == "msan" || name == "asan") && value != "false" && value != "0" {
			out = append(out, name)
		}
	}
	return out
}

// A folderFilter is one of gopls's directoryFilters.
type folderFilter struct {
	in      bool
	folders *regexp.Regexp // of a path that ends in a slash
}

// folderFilters reads the setting: "-old", "+old/kept", "-**/gen".
func folderFilters(raw json.RawMessage) []folderFilter {
	var filters []string
	if json.Unmarshal(raw, &filters) != nil {
		return nil
	}
	var out []folderFilter
	for _, f := range filters {
		if f == "" || f[0] != '+' && f[0] != '-' {
			continue
		}
		expr := "^"
		for name := range strings.SplitSeq(strings.Trim(path.Clean(f[1:]), "/"), "/") {
			switch name {
			case "**":
				expr += ".*"
			case ".":
			default:
				expr += regexp.QuoteMeta(name) + "/"
			}
		}
		out = append(out, folderFilter{f[0] == '+', regexp.MustCompile(expr)})
	}
	return out
}

// filteredOut reports whether the settings keep the folder of a file out. The
// last filter that says something of it counts.
func (b *goBuild) filteredOut(f confine.File) bool {
	for _, filter := range slices.Backward(b.filters) {
		if filter.folders.MatchString(path.Dir(f.Rel) + "/") {
			return !filter.in
		}
	}
	return false
}

// ignoring returns, for each of modules, the folders that ignore directives of
// its go.mod keep out of "./...".
func (p *Pool) ignoring(modules map[confine.File]bool) map[confine.File][]string {
	out := map[confine.File][]string{}
	for m := range modules {
		text, _, err := p.o.Workspace.Read(confine.File{Root: m.Root, Rel: path.Join(m.Rel, "go.mod")}, p.o.Limits.FileBytes)
		if err != nil || !bytes.Contains(text, []byte("ignore")) {
			continue
		}
		if mod, err := modfile.Parse("go.mod", text, nil); err == nil {
			for _, i := range mod.Ignore {
				out[m] = append(out[m], i.Path)
			}
		}
	}
	return out
}

// ignoredIn reports whether one of the paths of ignore directives names a folder
// above rel, which counts from the module: "./old" at its top alone, "old" at any
// depth (https://go.dev/ref/mod#go-mod-file-ignore).
func ignoredIn(rel string, paths []string) bool {
	dir := "/" + path.Dir(rel) + "/"
	for _, p := range paths {
		at, top := strings.CutPrefix(p, "./")
		folder := "/" + strings.Trim(at, "/") + "/"
		if top && strings.HasPrefix(dir, folder) || !top && strings.Contains(dir, folder) {
			return true
		}
	}
	return false
}

// withinModule is the path of a file counted from the folder of its module.
func withinModule(f, module confine.File) string {
	if module.Rel == "." {
		return f.Rel
	}
	return strings.TrimPrefix(f.Rel, module.Rel+"/")
}

// inAssembly returns the files that use a Go name in assembly, which gopls does
// not look at: "CALL ·F(SB)". A TEXT line is no use, but the body of the function.
func (p *Pool) inAssembly(ctx context.Context, asked *confine.File, near bool, name string) []confine.File {
	word := []byte("·" + name)
	files, err := p.holding(ctx, string(word), maxSearched, func(f confine.File) bool {
		if near && (f.Root != asked.Root || path.Dir(f.Rel) != path.Dir(asked.Rel)) {
			return false
		}
		return path.Ext(f.Rel) == ".s" && !inTestdata(f) && !ignoredByGo(f)
	})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(files, func(f confine.File) bool {
		text, _, err := p.o.Workspace.Read(f, max(p.o.Limits.FileBytes, searchedBytes))
		if err != nil {
			return true
		}
		for line := range bytes.Lines(text) {
			line, _, _ = bytes.Cut(line, []byte("//"))
			if holdsWord(line, word) && !bytes.HasPrefix(bytes.TrimSpace(line), []byte("TEXT")) {
				return false
			}
		}
		return true
	})
}

// goWork is [Pool.goWork], where the environment of the server does not name
// another file or none.
func (sess *session) goWork(dir confine.File) (uses map[string]bool, found bool) {
	p, work := sess.srv.pool, sess.goBuild.work
	switch {
	case work == "off":
		return nil, false
	case filepath.IsAbs(work):
		if text := readOutside(work, p.o.Limits.FileBytes); text != nil {
			return usedBy(filepath.Dir(work), string(text.Text())), true
		}
		return nil, true
	}
	return p.goWork(dir)
}
