package tools_test

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

// A textual is a set of language servers that know names by their text: a
// declaration stands behind func, type, var or struct at the start of a line and
// ends with the next "}" at the start of one; every occurrence of its name is a
// reference. It answers at once, from the files as they are.
type textual struct {
	hangs  bool                      // questions for references
	graph  *lspclient.Hierarchy      // of every call and type hierarchy
	bounds lspclient.HierarchyBounds // of the last one
	ws     *confine.Workspace

	completeness lspclient.Completeness // of every answer
	limit        int                    // symbols a search gives at most; 0 is all
	extra        []lspclient.Location   // further places of every answer
	outline      []lspclient.Symbol     // in place of that of every file
	libraries    []lspclient.Symbol     // outside the workspace, first in every search
	steps        []lspclient.EditStep   // last in every rename
	actions      []lspclient.CodeAction // first in every list of them
	errs         map[string]error       // by server
	annotations  annotations            // of every file
	before       func(context.Context)  // runs before each question
	warmed       atomic.Int32
	asked        atomic.Int32 // questions about a place
}

var declaring = regexp.MustCompile(`(?m)^(func|type|var|struct) (?:\((\w+)\) )?(\w+)`)

func (s *textual) servers() map[string]string {
	return map[string]string{".go": "gopls", ".cpp": "clangd", ".h": "clangd"}
}

func (s *textual) ServerFor(f confine.File) (string, string, bool) {
	server := s.servers()[path.Ext(f.Rel)]
	return server, map[string]string{"gopls": "go", "clangd": "cpp"}[server], server != ""
}

func (s *textual) files() []confine.File {
	var files []confine.File
	root := s.ws.Roots()[0].Canonical
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if f, ok := s.ws.Locate(p); err == nil && ok && d.Type().IsRegular() {
			if _, _, known := s.ServerFor(f); known {
				files = append(files, f)
			}
		}
		return nil
	})
	return files
}

func (s *textual) Languages(context.Context) ([]lspclient.Language, error) {
	n := map[string]int{}
	for _, f := range s.files() {
		server, _, _ := s.ServerFor(f)
		n[server]++
	}
	var out []lspclient.Language
	for server, files := range n {
		out = append(out, lspclient.Language{Server: server, Files: files})
	}
	slices.SortFunc(out, func(a, b lspclient.Language) int { return strings.Compare(b.Server, a.Server) })
	return out, nil
}

func (s *textual) FilesHolding(_ context.Context, server, name string, max int) ([]confine.File, error) {
	var out []confine.File
	for _, f := range s.files() {
		if by, _, _ := s.ServerFor(f); by == server && strings.Contains(string(s.text(f)), name) && len(out) < max {
			out = append(out, f)
		}
	}
	return out, nil
}

func (s *textual) text(f confine.File) []byte {
	text, _, err := s.ws.Read(f, 1<<30)
	if err != nil {
		return nil
	}
	return text
}

func (s *textual) answer(ctx context.Context, server string) (lspclient.Answer, error) {
	if s.before != nil {
		s.before(ctx)
	}
	c := s.completeness
	if c.State == "" {
		c.State = lspclient.Complete
	}
	return lspclient.Answer{Server: server, Completeness: c}, firstError(s.errs[server], ctx.Err())
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// name asks the locator for the identifier, as a pool does, with its own text.
func (s *textual) name(f confine.File, at lspclient.Locate) (string, error) {
	m := textpos.NewMapper(s.text(f))
	offset, err := at(m)
	if err != nil {
		return "", err
	}
	s.asked.Add(1)
	rest := m.Text()[offset:]
	return string(rest[:len(rest)-len(strings.TrimLeft(string(rest), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789é"))]), nil
}

func locationAt(m *textpos.Mapper, f confine.File, start, end int) lspclient.Location {
	l := lspclient.Location{Inside: true, File: f}
	l.Start, _ = m.Point(start)
	l.End, _ = m.Point(end)
	l.Line, _ = m.Line(l.Start.Line)
	return l
}

func (s *textual) symbols(f confine.File) []lspclient.Symbol {
	text := s.text(f)
	m := textpos.NewMapper(text)
	var out []lspclient.Symbol
	for _, at := range declaring.FindAllSubmatchIndex(text, -1) {
		l := locationAt(m, f, at[6], at[7])
		sym := lspclient.Symbol{
			Name: string(text[at[6]:at[7]]), Kind: map[string]string{"func": "function", "type": "struct", "var": "variable", "struct": "struct"}[string(text[at[2]:at[3]])],
			Place: l, ExtentStart: l.Start, ExtentEnd: l.End,
		}
		if at[4] >= 0 {
			sym.Name, sym.Kind = "(*"+string(text[at[4]:at[5]])+")."+sym.Name, "method"
		}
		if end := strings.Index(string(text[at[0]:]), "\n}"); end >= 0 && strings.HasSuffix(strings.SplitN(string(text[at[0]:]), "\n", 2)[0], "{") {
			sym.ExtentStart, _ = m.Point(at[0])
			sym.ExtentEnd, _ = m.Point(at[0] + end + 2)
		}
		out = append(out, sym)
	}
	return out
}

func (s *textual) occurrences(name string) []lspclient.Location {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	var out []lspclient.Location
	for _, f := range s.files() {
		text := s.text(f)
		m := textpos.NewMapper(text)
		for _, at := range word.FindAllIndex(text, -1) {
			out = append(out, locationAt(m, f, at[0], at[1]))
		}
	}
	return out
}

func (s *textual) Definition(ctx context.Context, f confine.File, at lspclient.Locate, _ lspclient.DefinitionKind) (lspclient.Locations, error) {
	server, _, _ := s.ServerFor(f)
	a, err := s.answer(ctx, server)
	if err != nil {
		return lspclient.Locations{}, err
	}
	name, err := s.name(f, at)
	if err != nil {
		return lspclient.Locations{}, err
	}
	out := lspclient.Locations{Answer: a, Items: slices.Clone(s.extra)}
	for _, f := range s.files() {
		for _, d := range s.symbols(f) {
			if strings.HasSuffix("."+d.Name, "."+name) {
				out.Items = append(out.Items, d.Place)
			}
		}
	}
	return out, nil
}

func (s *textual) Implementations(ctx context.Context, f confine.File, at lspclient.Locate) (lspclient.Locations, error) {
	return s.Definition(ctx, f, at, lspclient.KindDefinition)
}

func (s *textual) References(ctx context.Context, f confine.File, at lspclient.Locate, _ bool) (lspclient.Locations, error) {
	if s.hangs {
		<-ctx.Done()
		return lspclient.Locations{}, ctx.Err()
	}
	server, _, _ := s.ServerFor(f)
	a, err := s.answer(ctx, server)
	if err != nil {
		return lspclient.Locations{}, err
	}
	name, err := s.name(f, at)
	if err != nil {
		return lspclient.Locations{}, err
	}
	return lspclient.Locations{Answer: a, Items: append(s.occurrences(name), s.extra...)}, nil
}

func (s *textual) Hover(ctx context.Context, f confine.File, at lspclient.Locate) (lspclient.Hover, error) {
	server, _, _ := s.ServerFor(f)
	a, err := s.answer(ctx, server)
	if err != nil {
		return lspclient.Hover{}, err
	}
	name, err := s.name(f, at)
	if err != nil {
		return lspclient.Hover{}, err
	}
	return lspclient.Hover{Answer: a, Text: "```go\n" + name + "\n```\nsee [docs](file://" + s.ws.Abs(f) + ") and " + s.ws.Abs(f)}, nil
}

func (s *textual) DocumentSymbols(ctx context.Context, f confine.File) (lspclient.Symbols, error) {
	server, _, _ := s.ServerFor(f)
	a, err := s.answer(ctx, server)
	if err != nil {
		return lspclient.Symbols{}, err
	}
	if s.outline != nil {
		return lspclient.Symbols{Answer: a, Items: s.outline}, nil
	}
	return lspclient.Symbols{Answer: a, Items: s.symbols(f)}, nil
}

func (s *textual) WorkspaceSymbols(ctx context.Context, server, query string) (lspclient.Symbols, error) {
	a, err := s.answer(ctx, server)
	if err != nil {
		return lspclient.Symbols{}, err
	}
	out := lspclient.Symbols{Answer: a, Items: slices.Clone(s.libraries)}
	for _, f := range s.files() {
		if by, _, _ := s.ServerFor(f); by != server {
			continue
		}
		for _, d := range s.symbols(f) {
			d.Name = strings.NewReplacer("(*", "", ")", "").Replace(d.Name)
			d.Container = "example.com/m/" + path.Dir(f.Rel)
			if !strings.Contains(d.Container+"."+d.Name, query) {
				continue
			}
			out.Items = append(out.Items, d)
		}
	}
	if s.limit > 0 && len(out.Items) >= s.limit {
		out.Items, out.AtLeast = out.Items[:s.limit], true
	}
	return out, nil
}

// Formatting removes spaces at the ends of lines.
func (s *textual) Formatting(ctx context.Context, f confine.File, _ *textpos.PointRange) (lspclient.Formatting, error) {
	server, _, _ := s.ServerFor(f)
	a, err := s.answer(ctx, server)
	if err != nil {
		return lspclient.Formatting{}, err
	}
	out := lspclient.Formatting{Answer: a, Text: s.text(f)}
	for _, at := range regexp.MustCompile(`[ \t]+\n`).FindAllIndex(out.Text, -1) {
		out.Edits = append(out.Edits, textpos.Edit{Start: at[0], End: at[1] - 1})
	}
	return out, nil
}

func (s *textual) Ready(ctx context.Context) ([]lspclient.Readiness, error) {
	languages, err := s.Languages(ctx)
	var out []lspclient.Readiness
	for _, l := range languages {
		answer, err := s.answer(ctx, l.Server)
		out = append(out, lspclient.Readiness{Answer: answer, Version: "1.0", Files: l.Files, Err: err})
	}
	return out, err
}

func (s *textual) Warm() { s.warmed.Add(1) }

func (s *textual) Watching() (int, string) { return 0, "nothing is watched" }

func (s *textual) Status(context.Context) ([]lspclient.ServerStatus, error) {
	return []lspclient.ServerStatus{{Name: "gopls", State: "ready", Version: "v0.0.1", Origin: "PATH", Path: "/secret/gopls", Generation: 1}}, nil
}
