package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"lspbridge/lspclient/lsptest"
)

// quietGo is an environment in which gopls starts no telemetry process and
// leaves its temporary files with the test.
func quietGo(t *testing.T) []string {
	t.Helper()
	config, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	own := t.TempDir()
	lsptest.WriteFiles(t, own, map[string]string{"go/telemetry/mode": "off"})
	user := os.Getenv("GOENV")
	if user == "" {
		user = filepath.Join(config, "go", "env")
	}
	return []string{"XDG_CONFIG_HOME=" + own, "GOENV=" + user, "TMPDIR=" + t.TempDir(), "GOPACKAGESDRIVER=off"}
}

// A goplsCommand asks by gopls's command line. Each question starts a gopls that
// loads the module; one that serves several commands (-remote) is no faster, since
// it loads for each of them too.
type goplsCommand struct {
	program, dir string
	env          []string // added to the test's
}

// goplsTime bounds one command; the first ones load the module with cold caches.
const goplsTime = 3 * time.Minute

// nothingDefined is how the command line says that there is no definition.
const nothingDefined = "no definition location (not an identifier?)"

// ask asks about an identifier; of several definitions it tells the first.
func (g goplsCommand) ask(ctx context.Context, tool string, q question) answer {
	at := g.at(q)
	switch tool {
	case referencesTool:
		return g.spans(g.run(ctx, "references", "-d", at))
	case implementationsTool:
		return g.spans(g.run(ctx, "implementation", at))
	}
	out, failed := g.run(ctx, "definition", "-json", at)
	if failed.err != "" {
		return failed
	}
	var found struct {
		Span struct {
			URI        string
			Start, End struct{ Line, Column int }
		}
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		return answer{err: err.Error(), places: []string{"?"}}
	}
	s := found.Span
	return answer{places: []string{g.placeAt(strings.TrimPrefix(s.URI, "file://"), s.Start.Line, s.Start.Column, s.End.Line, s.End.Column)}}
}

// at spells the place of an identifier for the command line.
func (g goplsCommand) at(q question) string {
	return fmt.Sprintf("%s:%d:%d", filepath.Join(g.dir, filepath.FromSlash(q.file)), q.line, q.column)
}

// run runs a command, whose last argument is what it asks about, and returns what
// it prints. The answer holds no error if it ends well.
func (g goplsCommand) run(ctx context.Context, arguments ...string) (string, answer) {
	ctx, cancel := context.WithTimeout(ctx, goplsTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, g.program, arguments...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.dir, append(os.Environ(), g.env...), time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && ctx.Err() == nil {
		said := strings.TrimPrefix(strings.TrimSpace(stderr.String()), "gopls: ")
		return "", answer{err: strings.TrimPrefix(said, arguments[len(arguments)-1]+": ")}
	} else if err != nil {
		return "", answer{err: fmt.Sprintf("gopls did not answer: %v", err), places: []string{"?"}}
	}
	return string(out), answer{}
}

// span is a place as the command line prints it: FILE:LINE:COL-COL, or
// FILE:LINE:COL-LINE:COL.
var span = regexp.MustCompile(`^(.+):(\d+):(\d+)-(?:(\d+):)?(\d+)$`)

// spans reads a command's places, one a line.
func (g goplsCommand) spans(out string, a answer) answer {
	for _, text := range strings.Fields(out) {
		place, ok := g.span(text)
		if !ok {
			return answer{err: fmt.Sprintf("not a place: %q", text), places: []string{"?"}}
		}
		a.places = append(a.places, place)
	}
	slices.Sort(a.places)
	return a
}

func (g goplsCommand) span(text string) (string, bool) {
	m := span.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	var n [4]int // line, column, end line, end column
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+2])
	}
	if n[2] == 0 {
		n[2] = n[0]
	}
	return g.placeAt(m[1], n[0], n[1], n[2], n[3]), true
}

// placeAt spells a place of gopls as an answer of the bridge does.
func (g goplsCommand) placeAt(path string, line, column, endLine, endColumn int) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(g.dir, path)
	}
	if rel, err := filepath.Rel(g.dir, path); err == nil && filepath.IsLocal(rel) {
		return placeAt(filepath.ToSlash(rel), line, column, endLine, endColumn)
	}
	for _, root := range goRoots() {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return outside(filepath.ToSlash(rel), line)
		}
	}
	return outside(path, line)
}

// goRoots are the folders of the standard library and of the module cache.
var goRoots = sync.OnceValue(func() []string {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return nil
	}
	lines := strings.Split(string(out), "\n")
	return []string{filepath.Join(lines[0], "src"), lines[1]}
})

func toolchainRoots(t *testing.T) []string {
	t.Helper()
	return goRoots()
}

// A definitionOracle gives all definitions of an identifier where there are
// several: the command line prints the first alone.
type definitionOracle struct {
	command goplsCommand
	start   func() *lsptest.Raw
}

func newDefinitionOracle(t *testing.T, command goplsCommand) definitionOracle {
	return definitionOracle{command, sync.OnceValue(func() *lsptest.Raw {
		return lsptest.StartRaw(t, lsptest.RawOptions{Program: command.program, Dir: command.dir, Env: command.env})
	})}
}

// whole returns all definitions, of which first must be one.
func (o definitionOracle) whole(t *testing.T, q question, first answer) answer {
	if first.err != "" {
		return first
	}
	raw := o.start()
	ctx, cancel := context.WithTimeout(t.Context(), goplsTime)
	defer cancel()
	found, err := askRaw(ctx, raw, o.command.dir, definitionTool, q, utf16Column)
	if err != nil {
		return answer{err: err.Error(), places: []string{"?"}}
	}
	var all answer
	for _, l := range found {
		all.places = append(all.places, o.command.placeAt(l.path, l.line, l.column, l.endLine, l.endColumn))
	}
	slices.Sort(all.places)
	if !slices.Contains(all.places, first.places[0]) {
		t.Errorf("%s: gopls answers %q on its command line, and %q as a server", q, first.places, all.places)
	}
	return all
}

// utf16Column converts between columns: from bytes to UTF-16 code units, both
// 0-based, and back.
func utf16Column(line string, column int, back bool) int {
	bytes, units := 0, 0
	for bytes < len(line) {
		if back && units >= column || !back && bytes >= column {
			break
		}
		r, size := utf8.DecodeRuneInString(line[bytes:])
		bytes += size
		units++
		if r > 0xffff {
			units++
		}
	}
	if back {
		return bytes
	}
	return units
}
