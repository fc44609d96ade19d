package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
	"lspbridge/tools"
)

// The marker tests: an archive below testdata/marker is a workspace, and comments
// in its sources say what the tools must answer on the real servers.
//
//	//@loc(NAME, "TEXT")           the first TEXT of this line is the place NAME
//	//@def("TEXT", NAME...)        find_definition of TEXT on this line gives these places
//	//@refs("TEXT", NAME...)       find_references
//	//@impl("TEXT", NAME...)       find_implementations
//	//@text(TOOL, "TEXT", GOLDEN)  the text of the answer about TEXT is the section @GOLDEN
//	//@file(TOOL, GOLDEN)          the text of the answer about this file
//	//@symbols("QUERY", NAME...)   workspace_symbols of QUERY begins with these places
//
// Every answer has to be complete, and its text and its structure have to agree.
// The flag -update rewrites the goldens. An archive whose name begins with "go"
// runs on gopls, any other on clangd 22 and 19, with a compile database of its
// .cpp files. The comment of an archive says what it is about.

var (
	markerComment = regexp.MustCompile(`//@(.*)$`)
	markerCall    = regexp.MustCompile(`(\w+)\(([^)]*)\)`)
	markerBlank   = regexp.MustCompile(`[ ]*\n\s*\n|[ ]+\n`)
	markerRef     = regexp.MustCompile(`\b[0-9a-z]+-[0-9a-hjkmnp-tv-z]{16}\b`)
)

// A marker is one assertion of an archive.
type marker struct {
	file string
	line int
	name string
	args []string
}

func TestMarkers(t *testing.T) {
	archives, err := filepath.Glob("testdata/marker/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("%d archives, error %v", len(archives), err)
	}
	for _, path := range archives {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		programs := []string{"clangd-22", "clangd-19"}
		if strings.HasPrefix(name, "go") {
			programs = []string{"gopls"}
		}
		for i, program := range programs {
			t.Run(name+"/"+program, func(t *testing.T) {
				t.Parallel()
				runMarkers(t, path, program, *update && i == 0)
			})
		}
	}
}

func runMarkers(t *testing.T, path, program string, rewrite bool) {
	executable := lsptest.Require(t, program)
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files, units, goldens := map[string]string{}, map[string]string{}, map[string]string{}
	var markers []marker
	places := map[string]string{} // label -> path:line:column-end
	for _, f := range archive.Files {
		if golden, ok := strings.CutPrefix(f.Name, "@"); ok {
			goldens[golden] = string(f.Data)
			continue
		}
		files[f.Name] = string(f.Data)
		if strings.HasSuffix(f.Name, ".cpp") {
			units[f.Name] = ""
		}
		markers = append(markers, parseMarkers(t, f.Name, string(f.Data), places)...)
	}
	dir := t.TempDir()
	if len(units) > 0 {
		files["compile_commands.json"] = lsptest.CompileCommands(t, dir, units)
	}
	lsptest.WriteFiles(t, dir, files)
	budget := limits.Default()
	budget.CallTimeout, budget.CallTotal = budget.CallTotal, 2*budget.CallTotal // for machines under load
	server := strings.TrimRight(program, "-0123456789")
	b := markerBridge{startBridge(t, dir, server, executable, budget), t, places, goldens, rewrite}
	for _, m := range markers {
		b.check(m)
	}
	if rewrite {
		for i, f := range archive.Files {
			if golden, ok := strings.CutPrefix(f.Name, "@"); ok {
				archive.Files[i].Data = []byte(goldens[golden])
				delete(goldens, golden)
			}
		}
		for _, name := range slices.Sorted(mapKeys(goldens)) {
			archive.Files = append(archive.Files, txtar.File{Name: "@" + name, Data: []byte(goldens[name])})
		}
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func mapKeys(m map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// parseMarkers reads the markers of one file, and puts the places that they name
// into places.
func parseMarkers(t *testing.T, file, text string, places map[string]string) (out []marker) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		comment := markerComment.FindStringSubmatch(strings.TrimSuffix(line, "\r"))
		if comment == nil {
			continue
		}
		calls := markerCall.FindAllStringSubmatch(comment[1], -1)
		if len(calls) == 0 {
			t.Fatalf("%s:%d: no marker in %q", file, i+1, comment[1])
		}
		for _, c := range calls {
			m := marker{file: file, line: i + 1, name: c[1]}
			for _, a := range strings.Split(c[2], ",") {
				a = strings.TrimSpace(a)
				if unquoted, err := strconv.Unquote(a); err == nil {
					a = unquoted
				}
				if a != "" {
					m.args = append(m.args, a)
				}
			}
			if m.name == "loc" {
				start := columnOf(t, m, line, m.args[1])
				places[m.args[0]] = placeAt(file, m.line, start, m.line, start+len(m.args[1]))
				continue
			}
			out = append(out, m)
		}
	}
	return out
}

// columnOf returns the 1-based byte column of the first text of a line.
func columnOf(t *testing.T, m marker, line, text string) int {
	t.Helper()
	i := strings.Index(line, text)
	if i < 0 || i > strings.Index(line, "//@") {
		t.Fatalf("%s:%d: no %q on the line", m.file, m.line, text)
	}
	return i + 1
}

// A markerBridge answers the markers of one archive.
type markerBridge struct {
	realBridge
	t       *testing.T
	places  map[string]string
	goldens map[string]string
	rewrite bool
}

func (b markerBridge) check(m marker) {
	b.t.Helper()
	at := map[string]any{"file": m.file, "line": m.line}
	switch m.name {
	case "def":
		b.wantPlaces(m, "find_definition", at, m.args[0], m.args[1:])
	case "refs":
		b.wantPlaces(m, "find_references", at, m.args[0], m.args[1:])
	case "impl":
		b.wantPlaces(m, "find_implementations", at, m.args[0], m.args[1:])
	case "symbols":
		got := b.answer(m, "workspace_symbols", map[string]any{"query": m.args[0]})
		want := b.named(m, m.args[1:])
		if len(got.places) < len(want) || !slices.Equal(got.places[:len(want)], want) {
			b.t.Errorf("%s:%d: symbols %q begin with %v, want %v", m.file, m.line, m.args[0], got.places, want)
		}
	case "text":
		at["name"] = m.args[1]
		b.wantText(m, m.args[0], at, m.args[2])
	case "file":
		b.wantText(m, m.args[0], map[string]any{"file": m.file}, m.args[1])
	default:
		b.t.Fatalf("%s:%d: no marker is named %s", m.file, m.line, m.name)
	}
}

func (b markerBridge) named(m marker, labels []string) []string {
	b.t.Helper()
	want := []string{}
	for _, l := range labels {
		p, ok := b.places[l]
		if !ok {
			b.t.Fatalf("%s:%d: no place is named %s", m.file, m.line, l)
		}
		want = append(want, p)
	}
	return want
}

func (b markerBridge) wantPlaces(m marker, tool string, at map[string]any, name string, labels []string) {
	b.t.Helper()
	at["name"] = name
	want := b.named(m, labels)
	got := b.answer(m, tool, at).places
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		b.t.Errorf("%s:%d: %s %q (-want +got):\n%s", m.file, m.line, tool, name, diff)
	}
}

func (b markerBridge) wantText(m marker, tool string, args map[string]any, golden string) {
	b.t.Helper()
	// clangd's versions differ in the blanks of their Markdown alone.
	got := markerBlank.ReplaceAllString(markerRef.ReplaceAllString(b.answer(m, tool, args).text, "REF"), "\n")
	got = strings.TrimRight(got, "\n") + "\n"
	if b.rewrite {
		b.goldens[golden] = got
		return
	}
	if diff := cmp.Diff(b.goldens[golden], got); diff != "" {
		b.t.Errorf("%s:%d: %s (-want +got):\n%s", m.file, m.line, tool, diff)
	}
}

// A markerAnswer is one answer in both of its forms.
type markerAnswer struct {
	text   string
	places []string
}

// answer asks a tool and wants a complete answer whose text names every place of
// its structure.
func (b markerBridge) answer(m marker, tool string, args map[string]any) markerAnswer {
	b.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	r := b.Call(b.t.Context(), tools.Call{Tool: tool, Args: raw, Unpaged: true})
	if r.Err != nil {
		b.t.Fatalf("%s:%d: %s %s: %v", m.file, m.line, tool, raw, r.Err)
	}
	if r.State != "" && r.State != "complete" {
		b.t.Errorf("%s:%d: %s %s: the answer is %s: %s", m.file, m.line, tool, raw, r.State, r.Text)
	}
	var s struct {
		Items []struct {
			Path, Display string
			Line, Column  int
			EndLine       int `json:"end_line"`
			EndColumn     int `json:"end_column"`
		}
	}
	if err := json.Unmarshal(r.Structured, &s); err != nil {
		b.t.Fatal(err)
	}
	out := markerAnswer{text: r.Text}
	for _, i := range s.Items {
		if i.Path == "" {
			out.places = append(out.places, outside(i.Display, i.Line))
			continue
		}
		out.places = append(out.places, placeAt(i.Path, i.Line, i.Column, i.EndLine, i.EndColumn))
		if at := strconv.Itoa(i.Line) + ":" + strconv.Itoa(i.Column); !strings.Contains(r.Text, at) || !strings.Contains(r.Text, i.Path) {
			b.t.Errorf("%s:%d: the text of %s does not name %s %s:\n%s", m.file, m.line, tool, i.Path, at, r.Text)
		}
	}
	return out
}
