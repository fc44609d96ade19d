package lspclient

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"lspbridge/limits/confine"
)

// A goBuild knows which Go files the build of a server leaves out: by their
// names (_windows.go), their build constraints, or their use of cgo. Servers do
// not know such files, and do not say so. It reads a file again only when its
// stamp changed.
type goBuild struct {
	context build.Context
	work    string         // GOWORK: "" looks for a go.work, "off" has none
	filters []folderFilter // of gopls, by folder

	mu    sync.Mutex
	files map[confine.File]goFile
	seq   uint64 // of the disk state that found is of
	found unseen
}

type goFile struct {
	stamp  confine.Stamp
	seq    uint64 // of its last change: the stamp of a young file may stay the same
	out    bool   // not built
	broken bool   // built, and no Go: what stands behind the first fault is lost on servers
	name   string // of its package; of an external test's that of the tested one
}

// newGoBuild makes the build context of a server with an environment ("NAME=value"
// each) and settings.
func newGoBuild(env []string, settings json.RawMessage) *goBuild {
	vars := map[string]string{}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		vars[name] = value
	}
	for name, value := range goEnvSaved(vars["GOENV"]) {
		if vars[name] == "" { // as the go command has it
			vars[name] = value
		}
	}
	flags := splitFlags(vars["GOFLAGS"])
	var all map[string]json.RawMessage
	_ = json.Unmarshal(settings, &all) // no settings are none
	var filters []folderFilter
	for name, raw := range all {
		switch name[strings.LastIndexByte(name, '.')+1:] {
		case "buildFlags":
			var more []string
			_ = json.Unmarshal(raw, &more)
			flags = append(flags, more...)
		case "directoryFilters":
			filters = folderFilters(raw)
		case "env":
			var more map[string]string
			_ = json.Unmarshal(raw, &more)
			for k, v := range more {
				vars[k] = v
			}
		}
	}
	b := &goBuild{context: build.Default, work: vars["GOWORK"], filters: filters, files: map[confine.File]goFile{}}
	b.context.GOOS, b.context.GOARCH = runtime.GOOS, runtime.GOARCH
	if v := vars["GOOS"]; v != "" {
		b.context.GOOS = v
	}
	if v := vars["GOARCH"]; v != "" {
		b.context.GOARCH = v
	}
	native := b.context.GOOS == runtime.GOOS && b.context.GOARCH == runtime.GOARCH
	b.context.CgoEnabled = native && hasCompiler(vars)
	if v := vars["CGO_ENABLED"]; v != "" {
		b.context.CgoEnabled = v == "1"
	}
	b.context.BuildTags = append(buildTags(flags), instrumented(flags)...)
	return b
}

// goEnvSaved reads what `go env -w` saved.
func goEnvSaved(file string) map[string]string {
	if !filepath.IsAbs(file) { // "off"
		return nil
	}
	text := readOutside(file, 1<<20)
	if text == nil {
		return nil
	}
	saved := map[string]string{}
	for line := range strings.Lines(string(text.Text())) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			saved[name] = value
		}
	}
	return saved
}

// hasCompiler reports whether there is a C compiler, without which the go
// command leaves cgo out.
func hasCompiler(vars map[string]string) bool {
	if vars["CC"] != "" {
		return true
	}
	name := "gcc"
	if runtime.GOOS == "darwin" || runtime.GOOS == "freebsd" || runtime.GOOS == "openbsd" {
		name = "clang"
	}
	for _, dir := range filepath.SplitList(vars["PATH"]) {
		for _, n := range []string{name, name + ".exe"} {
			if info, err := os.Stat(filepath.Join(dir, n)); err == nil && info.Mode().IsRegular() {
				return true
			}
		}
	}
	return false
}

// buildTags returns the tags of build flags; the last -tags counts.
func buildTags(flags []string) []string {
	list := ""
	for i, flag := range flags {
		flag = strings.TrimPrefix(strings.TrimPrefix(flag, "-"), "-")
		if value, ok := strings.CutPrefix(flag, "tags="); ok {
			list = value
		} else if flag == "tags" && i+1 < len(flags) {
			list = flags[i+1]
		}
	}
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// leavesOut reports whether the build leaves a file of this text out. A text
// that cannot be read as Go is left in: the server says what is wrong with it.
func (b *goBuild) leavesOut(name string, text []byte) bool {
	ctxt := b.context
	ctxt.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	built, err := ctxt.MatchFile("", name)
	return err == nil && (!built || !ctxt.CgoEnabled && importsC(text))
}

// importsC reports whether a Go file uses cgo.
func importsC(text []byte) bool {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` })
}

// read makes the record of a file of this name and text.
func (b *goBuild) read(name string, text []byte, stamp confine.Stamp) goFile {
	f := goFile{stamp: stamp, out: b.leavesOut(name, text)}
	if f.out {
		return f
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	f.broken = err != nil
	if parsed != nil && parsed.Name != nil {
		f.name = parsed.Name.Name
		if strings.HasSuffix(name, "_test.go") {
			f.name = strings.TrimSuffix(f.name, "_test")
		}
		// go/build passes such a file over.
		f.out = f.name == "documentation"
	}
	return f
}

// An unseen is the set of known Go files that gopls does not see, or not whole.
type unseen struct {
	unbuilt  map[confine.File]bool // left out of the build
	unparsed map[confine.File]bool // no Go
	clashing map[confine.File]bool // in folders with files of several packages, of which it takes one
}

func (u unseen) has(f confine.File) bool { return u.unbuilt[f] || u.unparsed[f] || u.clashing[f] }

// unseen finds them. The result is shared: it is not to be changed.
func (b *goBuild) unseen(ctx context.Context, p *Pool) (unseen, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	seq := p.disk.current()
	if b.seq == seq && seq > 0 {
		return b.found, nil
	}
	type known struct {
		file  confine.File
		stamp confine.Stamp
		seq   uint64
	}
	var now []known
	p.disk.visit(func(f confine.File, s diskFile) bool {
		if path.Ext(f.Rel) == ".go" {
			now = append(now, known{f, s.stamp, s.changed})
		}
		return true
	})
	next := make(map[confine.File]goFile, len(now))
	out := unseen{map[confine.File]bool{}, map[confine.File]bool{}, map[confine.File]bool{}}
	folders := map[confine.File][]confine.File{} // files that are built and parse
	clash := map[confine.File]bool{}
	for _, k := range now {
		entry, ok := b.files[k.file]
		if !ok || entry.stamp != k.stamp || entry.seq != k.seq {
			if err := ctx.Err(); err != nil {
				return out, err
			}
			text, stamp, err := p.o.Workspace.Read(k.file, max(p.o.Limits.FileBytes, searchedBytes))
			if err != nil {
				continue
			}
			p.disk.remember(k.file, stamp, text)
			entry = b.read(path.Base(k.file.Rel), text, stamp)
			entry.seq = k.seq
		}
		next[k.file] = entry
		switch dir := (confine.File{Root: k.file.Root, Rel: path.Dir(k.file.Rel)}); {
		case entry.out:
			out.unbuilt[k.file] = true
		case entry.broken:
			out.unparsed[k.file] = true
		default:
			if in := folders[dir]; len(in) > 0 && next[in[0]].name != entry.name {
				clash[dir] = true
			}
			folders[dir] = append(folders[dir], k.file)
		}
	}
	for dir := range clash {
		for _, f := range folders[dir] {
			out.clashing[f] = true
		}
	}
	b.files, b.seq, b.found = next, seq, out
	return out, nil
}

// target words what is built: "linux/amd64".
func (b *goBuild) target() string {
	words := b.context.GOOS + "/" + b.context.GOARCH
	if !b.context.CgoEnabled {
		words += " without cgo"
	}
	if len(b.context.BuildTags) > 0 {
		words += " with tags " + strings.Join(b.context.BuildTags, ",")
	}
	return words
}
