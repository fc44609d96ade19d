package tools_test

import (
	"context"
	"slices"
	"strings"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

// Rename replaces every occurrence of the name, and does the steps of the test.
func (s *textual) Rename(ctx context.Context, f confine.File, at lspclient.Locate, newName string) (lspclient.WorkspaceEdit, error) {
	server, _, _ := s.ServerFor(f)
	a, err := s.answer(ctx, server)
	out := lspclient.WorkspaceEdit{Answer: a}
	if err != nil {
		return out, err
	}
	name, err := s.name(f, at)
	if err != nil || name == newName {
		return out, err
	}
	steps := map[confine.File]int{}
	for _, l := range s.occurrences(name) {
		text := s.text(l.File)
		m := textpos.NewMapper(text)
		start, _ := m.PointOffset(l.Start)
		end, _ := m.PointOffset(l.End)
		i, known := steps[l.File]
		if !known {
			i = len(out.Steps)
			steps[l.File] = i
			out.Steps = append(out.Steps, lspclient.EditStep{Of: lspclient.Document{Inside: true, File: l.File}, Text: text})
		}
		out.Steps[i].Edits = append(out.Steps[i].Edits, textpos.Edit{Start: start, End: end, New: newName})
		out.Steps[i].Count++
	}
	out.Steps = append(out.Steps, s.steps...)
	return out, nil
}

// CodeActions offers what the test says, what formatting would do, a command, and
// one that is off.
func (s *textual) CodeActions(ctx context.Context, f confine.File, _ textpos.PointRange, only []string) (lspclient.CodeActions, error) {
	found, err := s.Formatting(ctx, f, nil)
	out := lspclient.CodeActions{Answer: found.Answer}
	if err != nil || len(only) > 0 {
		return out, err
	}
	out.Items = append(slices.Clone(s.actions), []lspclient.CodeAction{
		{Title: "Trim", Kind: "source.fixAll", Preferred: true, HasEdit: true, Steps: []lspclient.EditStep{{
			Of: lspclient.Document{Inside: true, File: f}, Text: found.Text, Edits: append(found.Edits, textpos.Edit{New: "// new\n"}), Count: len(found.Edits) + 1,
		}}},
		{Title: "Run", Kind: "refactor", Command: true},
		{Title: "Off", Disabled: strings.Repeat("because ", 3)},
	}...)
	return out, nil
}
