package lspclient_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/servers"
)

// A hammer changes a workspace at random, as editors, version control and build
// tools do, and asks after each round where a name stands. What is right it reads
// off the files by itself: every use of the name in them is a reference.
type hammer struct {
	t       *testing.T
	b       *bench
	w       *lsptest.Writer // another process, which makes the changes
	rand    *rand.Rand
	name    *regexp.Regexp
	ext     string
	def     string                                   // the file that declares the name; always there
	text    func(dir string, blank, uses int) string // of another file
	defText func(blank int) string                   // of the declaring one
	links   bool                                     // a linked file is a source of its own
	log     []string                                 // what was done, for the failure
	next    int
}

func (h *hammer) did(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// files lists the sources, links included, sorted.
func (h *hammer) files() []string {
	var out []string
	err := filepath.WalkDir(h.b.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, h.ext) {
			rel, _ := filepath.Rel(h.b.dir, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// truth lists where the name stands on disk.
func (h *hammer) truth() []string {
	out := []string{}
	for _, name := range append(h.files(), h.headers()...) {
		text, err := os.ReadFile(filepath.Join(h.b.dir, name))
		if err != nil {
			h.t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			for _, m := range h.name.FindAllStringIndex(line, -1) {
				out = append(out, fmt.Sprintf("%s:%d:%d", name, n+1, m[0]+1))
			}
		}
	}
	slices.Sort(out)
	return out
}

func (h *hammer) headers() []string {
	out, err := filepath.Glob(filepath.Join(h.b.dir, "*.h"))
	if err != nil {
		h.t.Fatal(err)
	}
	for i := range out {
		out[i] = filepath.Base(out[i])
	}
	return out
}

// victim picks a file that is not the declaring one.
func (h *hammer) victim() string {
	all := slices.DeleteFunc(h.files(), func(f string) bool { return f == h.def })
	if len(all) == 0 {
		return h.create()
	}
	return all[h.rand.IntN(len(all))]
}

// folder picks a folder, at times a new one.
func (h *hammer) folder() string {
	if h.rand.IntN(3) == 0 {
		h.next++
		return fmt.Sprintf("d%d", h.next)
	}
	if h.rand.IntN(3) == 0 {
		return "."
	}
	return filepath.Dir(h.anyFile())
}

// anyFile picks a file.
func (h *hammer) anyFile() string {
	all := h.files()
	return all[h.rand.IntN(len(all))]
}

func (h *hammer) put(name string) {
	text := h.defText(h.rand.IntN(5))
	if name != h.def {
		text = h.text(filepath.Dir(name), h.rand.IntN(5), h.rand.IntN(3))
	}
	h.w.Write(filepath.Join(h.b.dir, filepath.FromSlash(name)), text)
}

func (h *hammer) create() string {
	h.next++
	name := filepath.ToSlash(filepath.Join(h.folder(), fmt.Sprintf("f%d%s", h.next, h.ext)))
	h.put(name)
	h.did("create %s", name)
	return name
}

// change does one random thing to the files.
func (h *hammer) change() {
	path := func(name string) string { return filepath.Join(h.b.dir, filepath.FromSlash(name)) }
	must := func(err error) {
		if err != nil {
			h.t.Fatal(err)
		}
	}
	switch h.rand.IntN(13) {
	case 0, 1:
		h.create()
	case 2, 3:
		name := h.victim()
		h.put(name)
		h.did("write %s", name)
	case 4: // the same size within the same tick, the time set back
		name := h.victim()
		info, err := os.Stat(path(name))
		must(err)
		text, err := os.ReadFile(path(name))
		must(err)
		lines := strings.SplitAfter(string(text), "\n")
		for i := len(lines) - 2; i > 0; i-- {
			if lines[i] != "\n" && lines[i-1] == "\n" && h.name.MatchString(lines[i]) {
				lines[i], lines[i-1] = lines[i-1], lines[i]
				break
			}
		}
		h.w.Write(path(name), strings.Join(lines, ""))
		h.w.Touch(path(name), info.ModTime())
		h.did("swap lines of %s", name)
	case 5:
		name := h.victim()
		h.w.Remove(path(name))
		h.did("remove %s", name)
	case 6: // renamed over another of the same folder's package
		from, to := h.victim(), h.victim()
		if from != to && filepath.Dir(from) == filepath.Dir(to) {
			h.w.Rename(path(from), path(to))
			h.did("rename %s over %s", from, to)
		}
	case 7: // another name, in case alone
		from := h.victim()
		to := filepath.Join(filepath.Dir(from), strings.ToUpper(strings.TrimSuffix(filepath.Base(from), h.ext))+h.ext)
		if from != to {
			h.w.Rename(path(from), path(to))
			h.did("rename %s to %s", from, to)
		}
	case 8: // a folder moves or goes
		dir := filepath.Dir(h.victim())
		if dir == "." {
			return
		}
		if h.rand.IntN(2) == 0 {
			h.w.Remove(path(dir))
			h.did("remove folder %s", dir)
			return
		}
		h.next++
		h.w.Rename(path(dir), path(fmt.Sprintf("d%d", h.next)))
		h.did("move folder %s to d%d", dir, h.next)
	case 9: // a file becomes a folder that holds one
		if name := h.victim(); !strings.Contains(filepath.Dir(name), h.ext) {
			h.w.Remove(path(name))
			h.put(name + "/in" + h.ext)
			h.did("file %s becomes a folder", name)
		}
	case 10: // and a folder a file
		if name := h.victim(); strings.Contains(filepath.Dir(name), h.ext) {
			dir := filepath.ToSlash(filepath.Dir(name))
			h.w.Remove(path(dir))
			h.put(dir)
			h.did("folder %s becomes a file", dir)
		}
	case 11: // a link beside the file it leads to, or away from it
		to := h.victim()
		h.next++
		link := filepath.ToSlash(filepath.Join(filepath.Dir(to), fmt.Sprintf("l%d%s", h.next, h.ext)))
		if h.links {
			h.w.Link(filepath.Base(to), path(link))
			h.did("link %s to %s", link, to)
		}
	case 12: // the declaring file itself
		h.put(h.def)
		h.did("write %s", h.def)
	}
}

// ask asks from a random file that holds the name.
func (h *hammer) ask() (lspclient.Locations, []string) {
	from := h.def
	if name := h.anyFile(); h.rand.IntN(2) == 0 {
		if text, err := os.ReadFile(filepath.Join(h.b.dir, name)); err == nil && h.name.Match(text) {
			from = name
		}
	}
	h.did("ask in %s", from)
	got, err := h.b.references(h.t, from, "hared(")
	if err != nil {
		h.t.Fatalf("%v\n%s", err, strings.Join(h.log, "\n"))
	}
	at := []string{}
	for _, p := range h.b.places(got) {
		start, _, _ := strings.Cut(p, "-")
		at = append(at, start)
	}
	slices.Sort(at)
	return got, at
}

// run is the rounds of one seed.
func (h *hammer) run(rounds int) {
	short := 0
	h.ask() // what is new from now on, the server is told of
	for round := range rounds {
		h.log = h.log[max(0, len(h.log)-40):]
		h.did("round %d", round)
		for range 1 + h.rand.IntN(4) {
			h.change()
		}
		want := h.truth()
		got, at := h.ask()
		if got.Completeness.State != lspclient.Complete {
			short++
			h.t.Logf("round %d: %v", round, got.Completeness)
			continue
		}
		if diff := cmp.Diff(want, at); diff != "" {
			h.t.Fatalf("complete, and wrong (-want +got):\n%s\nafter:\n%s", diff, strings.Join(h.log[max(0, len(h.log)-16):], "\n"))
		}
	}
	h.t.Logf("%d rounds", rounds)
	// Nothing changes while it is asked: there is no reason for less than all.
	if short > 0 {
		h.t.Errorf("%d of %d answers were not complete", short, rounds)
	}
}

func rounds(short, full int) int {
	if os.Getenv("LSPBRIDGE_FULL") == "1" {
		return full
	}
	return short
}

func TestHammerGopls(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	t.Run("watched", func(t *testing.T) { hammerGopls(t, gopls, limits.Default().Watches, rounds(100, 1000)) })
	t.Run("with too few watches", func(t *testing.T) { hammerGopls(t, gopls, 2, rounds(20, 200)) })
}

func hammerGopls(t *testing.T, gopls string, watches, rounds int) {
	t.Helper()
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{"go.mod": "module m\n\ngo 1.26\n"})
	seed := hammerSeed(t)
	h := &hammer{t: t, w: lsptest.NewWriter(t), rand: rand.New(rand.NewPCG(seed, 1)), name: regexp.MustCompile(`\bShared\b`), ext: ".go", def: "def.go"}
	n := 0
	h.text = func(dir string, blank, uses int) string {
		pkg, imp, call := "p", "import \"m\"\n", "m.Shared()"
		if dir == "." {
			pkg, imp, call = "m", "", "Shared()"
		}
		var b strings.Builder
		fmt.Fprintf(&b, "package %s\n%s", pkg, imp)
		b.WriteString(strings.Repeat("\n", blank))
		if uses == 0 && imp != "" {
			uses = 1
		}
		for range uses {
			n++
			fmt.Fprintf(&b, "var V%d = %s\n\n", n, call)
		}
		return b.String()
	}
	h.defText = func(blank int) string {
		return "package m\n" + strings.Repeat("\n", blank) + "func Shared() int { return 1 }\n"
	}
	lsptest.WriteFiles(t, dir, map[string]string{"def.go": h.defText(1)})
	entry := servers.Builtin().Servers[0]
	entry.Commands = []string{filepath.Base(gopls)}
	h.b = openWith(t, dir, filepath.Dir(gopls), entry, confine.Options{}, t.TempDir(), func(b *limits.Budget) { b.Watches = watches })
	h.run(rounds)
	if n, why := h.b.Watching(); (n == 0) != (why != "") || n > watches || watches == 2 && n > 0 {
		t.Errorf("%d folders are watched, %q", n, why)
	}
}

func TestHammerClangd(t *testing.T) {
	for _, name := range []string{"clangd-22", "clangd-19"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clangd := lsptest.Require(t, name)
			dir := t.TempDir()
			seed := hammerSeed(t)
			h := &hammer{t: t, w: lsptest.NewWriter(t), rand: rand.New(rand.NewPCG(seed, 2)), name: regexp.MustCompile(`\bshared\b`), ext: ".cpp", def: "def.cpp"}
			n := 0
			h.text = func(_ string, blank, uses int) string {
				var b strings.Builder
				b.WriteString("#include \"a.h\"\n" + strings.Repeat("\n", blank))
				for range uses {
					n++
					fmt.Fprintf(&b, "int v%d = shared();\n\n", n)
				}
				return b.String()
			}
			h.defText = func(blank int) string {
				return "#include \"a.h\"\n" + strings.Repeat("\n", blank) + "int shared() { return 1; }\n"
			}
			files := map[string]string{"def.cpp": h.defText(1)}
			for i := range 6 {
				files[fmt.Sprintf("u%d.cpp", i)] = h.text(".", i, 2)
			}
			lsptest.WriteFiles(t, dir, files)
			lsptest.WriteFiles(t, dir, map[string]string{"a.h": "#pragma once\nint shared();\n"})
			db := strings.ReplaceAll(lsptest.CompileCommands(t, dir, files), "-Iinclude", "-I"+dir)
			lsptest.WriteFiles(t, dir, map[string]string{"compile_commands.json": db})
			h.b = openReal(t, dir, "clangd", clangd)
			h.run(rounds(30, 300))
		})
	}
}

// hammerSeed chooses the changes: the same ones each time in the short form, so
// that its outcome is that of the code, and new ones in the long form.
func hammerSeed(t *testing.T) uint64 {
	seed := uint64(20261201)
	if os.Getenv("LSPBRIDGE_FULL") == "1" {
		seed = uint64(time.Now().UnixNano())
	}
	if s := os.Getenv("LSPBRIDGE_SEED"); s != "" {
		fmt.Sscan(s, &seed)
	}
	t.Logf("LSPBRIDGE_SEED=%d", seed)
	return seed
}
