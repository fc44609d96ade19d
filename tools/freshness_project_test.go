package tools_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lspbridge/lspclient/lsptest"
)

// A project is a workspace that changes under a running bridge, as somebody else
// changes it. Its name stands nowhere but where it is declared, defined or used,
// so the texts alone say what the right answer is.
type project struct {
	t     *testing.T
	rand  *rand.Rand
	dir   string
	name  string            // the identifier asked about
	word  *regexp.Regexp    // matches it
	files map[string]string // as on disk, by name
	// unlisted are the files that are there but not part of the build.
	unlisted map[string]bool
	// list tells the build which files are part of it; nil where it finds them by
	// itself.
	list func()
	last string   // the file asked about last
	log  []string // what was done since the last question
}

func newProject(t *testing.T, name string, files map[string]string, seed uint64) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	lsptest.WriteFiles(t, dir, files)
	return &project{
		t: t, rand: rand.New(rand.NewPCG(seed, 0)), dir: dir, name: name, word: regexp.MustCompile(`\b` + name + `\b`),
		files: maps.Clone(files), unlisted: map[string]bool{},
	}
}

// A writing is a way in which programs replace the text of a file.
type writing string

const (
	inPlace    writing = "in place"            // truncate and write, as shells do
	renameOver writing = "rename"              // a new file takes the name, as editors do
	keepTimes  writing = "rename, times kept"  // as rsync and archivers do
	inPlaceOld writing = "in place, time kept" // only the change time tells
)

// writings holds the common ways more often: the others cost a new start.
var writings = []writing{inPlace, inPlace, inPlace, renameOver, renameOver, renameOver, keepTimes, inPlaceOld}

// write replaces the text of a file, or makes one.
func (p *project) write(name, text string, how writing) {
	p.t.Helper()
	file := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		p.t.Fatal(err)
	}
	before, err := os.Stat(file)
	if err != nil {
		before, how = nil, inPlace
	}
	target := file
	if how == renameOver || how == keepTimes {
		target = filepath.Join(p.dir, ".new")
	}
	if err := os.WriteFile(target, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
	if how == keepTimes || how == inPlaceOld {
		if err := os.Chtimes(target, time.Time{}, before.ModTime()); err != nil {
			p.t.Fatal(err)
		}
	}
	if target != file {
		if err := os.Rename(target, file); err != nil {
			p.t.Fatal(err)
		}
	}
	p.files[name] = text
	p.log = append(p.log, fmt.Sprintf("%s written (%s)", name, how))
}

// remove deletes a file, and its folder if that is empty then.
func (p *project) remove(name string) {
	p.t.Helper()
	file := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.Remove(file); err != nil {
		p.t.Fatal(err)
	}
	if path.Dir(name) != "." {
		_ = os.Remove(filepath.Dir(file))
	}
	delete(p.files, name)
	delete(p.unlisted, name)
	p.log = append(p.log, name+" removed")
}

// relist tells the build of files that came or went.
func (p *project) relist() {
	if p.list != nil {
		p.list()
	}
}

// how chooses a way to write.
func (p *project) how() writing { return writings[p.rand.IntN(len(writings))] }

// matching lists the files whose name matches the pattern of path.Match.
func (p *project) matching(pattern string) []string {
	var names []string
	for name := range p.files {
		if ok, _ := path.Match(pattern, name); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// choose picks one of them.
func (p *project) choose(pattern string) string {
	names := p.matching(pattern)
	return names[p.rand.IntN(len(names))]
}

// A stand is one place where the name stands.
type stand struct {
	file         string
	line, column int
	text         string // of the line
}

// stands lists where the name stands in a file.
func (p *project) stands(file string) []stand {
	var list []stand
	for i, line := range strings.Split(p.files[file], "\n") {
		for _, at := range p.word.FindAllStringIndex(line, -1) {
			list = append(list, stand{file, i + 1, at[0] + 1, line})
		}
	}
	return list
}

// places lists where the name stands: in the files of the build, and in the
// others.
func (p *project) places() (built, others []string) {
	for name := range p.files {
		for _, s := range p.stands(name) {
			spelled := placeAt(s.file, s.line, s.column, s.line, s.column+len(p.name))
			if p.unlisted[name] {
				others = append(others, spelled)
			} else {
				built = append(built, spelled)
			}
		}
	}
	slices.Sort(built)
	slices.Sort(others)
	return built, others
}

// shift returns text with one to three empty lines more, or as many fewer, after
// its first line.
func (p *project) shift(text string) string {
	first, rest, _ := strings.Cut(text, "\n")
	if trimmed := strings.TrimLeft(rest, "\n"); len(rest)-len(trimmed) > 3 {
		return first + "\n\n" + trimmed
	}
	return first + "\n" + strings.Repeat("\n", 1+p.rand.IntN(3)) + rest
}

// swap exchanges the name with other, which has as many bytes, in one of the
// calls, with n, of either.
func (p *project) swap(text, other string) string {
	either := regexp.MustCompile(`\b(` + p.name + `|` + other + `)\(n\)`)
	at := either.FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 {
		return text
	}
	call := at[p.rand.IntN(len(at))]
	now := p.name
	if text[call[2]:call[3]] == p.name {
		now = other
	}
	return text[:call[2]] + now + text[call[3]:]
}

// declares returns the file that holds the declaration, and where the name
// stands in it.
func (p *project) declares(declaration string) (file, at string) {
	p.t.Helper()
	for name, text := range p.files {
		before, _, found := strings.Cut(text, declaration)
		if !found {
			continue
		}
		line := 1 + strings.Count(before, "\n")
		for _, s := range p.stands(name) {
			if s.line == line {
				return name, placeAt(name, line, s.column, line, s.column+len(p.name))
			}
		}
	}
	p.t.Fatalf("no file holds %q", declaration)
	return "", ""
}
