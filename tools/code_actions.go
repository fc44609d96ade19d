package tools

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

func codeActionsTool() tool {
	return tool{
		name:  "preview_code_actions",
		title: "Preview code actions",
		desc:  "Quick fixes, organized imports and refactorings that the server offers for a range, each as unified diffs. Nothing is written, no command is run.",
		params: []param{
			{name: "file", typ: typeString, required: true, desc: "Relative to the workspace"},
			{name: "start_line", typ: typeInteger, min: 1, max: maxPosition, desc: "Default: the whole file"},
			{name: "start_column", typ: typeInteger, min: 1, max: maxPosition, desc: "In bytes"},
			{name: "end_line", typ: typeInteger, min: 1, max: maxPosition, desc: "Default start_line"},
			{name: "end_column", typ: typeInteger, min: 1, max: maxPosition, desc: "Exclusive"},
			{name: "only", typ: typeStrings, desc: "Kinds: quickfix, refactor, source.organizeImports, ..."},
			maxCharsParam(),
		},
		output: objectSchema(
			field{"items", arraySchema(objectSchema(append([]field{
				{"title", schemaString, true}, {"kind", schemaString, true}, {"preferred", schemaBoolean, true},
				{"disabled", schemaString, false}, {"command_only", schemaBoolean, true}, {"command_follows", schemaBoolean, true},
				{"fault", schemaString, false},
			}, changeFields()...)...)), true},
			field{"total", schemaInteger, true},
			field{"at_least", schemaBoolean, true},
			completenessField(),
		),
		run: previewCodeActions,
	}
}

// An actionPreview is one action and what its edit would change.
type actionPreview struct {
	Title     string `json:"title"`
	Kind      string `json:"kind"` // "" where the server gave none
	Preferred bool   `json:"preferred"`
	Disabled  string `json:"disabled,omitempty"` // why it cannot be done now
	// CommandOnly: the action is a command of the server, which nothing here can
	// preview. CommandFollows: such a command would run after the edit.
	CommandOnly    bool               `json:"command_only"`
	CommandFollows bool               `json:"command_follows"`
	Fault          string             `json:"fault,omitempty"` // why its edit is not here
	Files          []filePreview      `json:"files"`
	Operations     []operationPreview `json:"operations"`
	Flags          []string           `json:"flags"`

	change change
}

// line is the line of an action in the text of an answer.
func (a actionPreview) line() string {
	words := []string{a.Title}
	if a.Kind != "" {
		words[0] += " [" + a.Kind + "]"
	}
	if a.Preferred {
		words = append(words, "preferred")
	}
	switch {
	case a.Disabled != "":
		words = append(words, "disabled: "+a.Disabled)
	case a.Fault != "":
		words = append(words, "no preview: "+a.Fault)
	case a.CommandOnly:
		words = append(words, "command only, cannot be previewed")
	case len(a.change.files)+len(a.change.operations) == 0:
		words = append(words, "nothing to do")
	default:
		words = append(words, a.change.counts())
	}
	if a.CommandFollows {
		words = append(words, "a command of the server would run after it")
	}
	return strings.Join(append(words, a.Flags...), "; ") + "\n"
}

func previewCodeActions(q *question) (reply, error) {
	s, err := q.subject(q.args.str("file"))
	if err != nil {
		return reply{}, err
	}
	within, err := q.actionRange(s)
	if err != nil {
		return reply{}, err
	}
	only := q.args.list("only")
	for _, kind := range only {
		if !actionKind.MatchString(kind) {
			return reply{}, usagef("bad_value", "use kinds such as quickfix, refactor.inline or source.organizeImports", "%q is no kind of code action", clipWord(kind))
		}
	}
	found, err := q.b.pool.CodeActions(q.ctx, s.file, within, only)
	if err != nil {
		return reply{}, err
	}
	q.server = found.Server
	var actions []actionPreview
	for _, a := range found.Items {
		actions = append(actions, q.action(a))
	}
	return q.actions(fmt.Sprintf("code actions of %s:%d:%d", quotePath(s.shown), within.Start.Line, within.Start.Column), found, actions)
}

var actionKind = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}(\.[A-Za-z0-9_-]{1,64}){0,8}$`)

// action renders one action. An edit that cannot be shown is a fault of it.
func (q *question) action(a lspclient.CodeAction) actionPreview {
	out := actionPreview{
		Title: oneLine(q.b.redact.Error(a.Title)), Kind: oneLine(a.Kind), Preferred: a.Preferred, Disabled: oneLine(q.b.redact.Error(a.Disabled)),
		CommandOnly: a.Command && !a.HasEdit && a.Fault == nil && a.Disabled == "", CommandFollows: a.Command && a.HasEdit,
		Files: []filePreview{}, Operations: []operationPreview{}, Flags: []string{},
	}
	if a.Fault != nil {
		out.Fault = oneLine(q.b.redact.Error(a.Fault.Msg))
		return out
	}
	c, err := q.change("", a.Steps)
	var bad *Error
	if errors.As(err, &bad) {
		out.Fault = bad.Message
		return out
	}
	out.change, out.Flags = c, orEmpty(c.flags)
	return out
}

// actions answers with actions: every title, and the diffs that there is room for.
func (q *question) actions(heading string, found lspclient.CodeActions, list []actionPreview) (reply, error) {
	type answer struct {
		Items        []actionPreview `json:"items"`
		Total        int             `json:"total"`
		AtLeast      bool            `json:"at_least"`
		Completeness completeness    `json:"completeness"`
	}
	render := func(items []actionPreview, reasons ...string) reply {
		sure := found.Completeness
		if len(reasons) > 0 {
			sure = lspclient.Merge(sure, lspclient.Completeness{State: lspclient.Partial, Generation: sure.Generation, Reasons: reasons})
		}
		whole := q.complete(sure)
		var b strings.Builder
		switch {
		case len(list) == 0 && whole.State == lspclient.Complete:
			fmt.Fprintf(&b, "%s: no actions, complete\n", heading)
		case len(list) == 0:
			fmt.Fprintf(&b, "%s: no actions found, but this is not the whole answer, %s\n", heading, describeCompleteness(whole))
		default:
			fmt.Fprintf(&b, "%s: %d, %s\n", heading, len(list), describeCompleteness(whole))
		}
		for _, a := range items {
			b.WriteString(a.line())
			shown := change{files: a.Files, operations: a.Operations}
			b.WriteString(shown.body())
		}
		return reply{
			text:       strings.TrimRight(b.String(), "\n"),
			structured: answer{Items: orEmpty(items), Total: len(list), AtLeast: found.AtLeast, Completeness: whole},
			state:      whole.State,
		}
	}
	whole := make([]actionPreview, len(list))
	for i, a := range list {
		a.Files, a.Operations = orEmpty(a.change.files), orEmpty(a.change.operations)
		whole[i] = a
	}
	_, maxChars := q.pageBounds()
	r := render(whole)
	n, err := chars(r.structured, r.text)
	if err != nil || n <= maxChars {
		return r, err
	}
	worst := render(nil, actionReasons(len(list), len(list), len(list))...)
	if n, err = chars(worst.structured, worst.text); err != nil {
		return reply{}, err
	}
	room := budget{left: maxChars - n}
	var items []actionPreview
	for _, a := range list { // titles first
		ok, err := room.take(a, a.line())
		if err != nil {
			return reply{}, err
		}
		if !ok {
			break
		}
		items = append(items, a)
	}
	cut := 0
	for i, a := range items {
		part, diffs, err := room.fill(a.change)
		if err != nil {
			return reply{}, err
		}
		items[i].Files, items[i].Operations = orEmpty(part.files), orEmpty(part.operations)
		if diffs > 0 || len(part.files)+len(part.operations) < len(a.change.files)+len(a.change.operations) {
			cut++
		}
	}
	return render(items, actionReasons(len(list)-len(items), cut, len(list))...), nil
}

// actionReasons say what max_chars left out.
func actionReasons(left, cut, total int) []string {
	var out []string
	if left > 0 {
		out = append(out, fmt.Sprintf("%d of %d actions are left out by max_chars", left, total))
	}
	if cut > 0 {
		out = append(out, fmt.Sprintf("the diffs of %d actions are cut by max_chars", cut))
	}
	return out
}

// actionRange reads the range that is asked about; without one the whole file.
func (q *question) actionRange(s subject) (textpos.PointRange, error) {
	out := textpos.PointRange{}
	if !q.args.has("start_line") {
		for _, name := range []string{"start_column", "end_line", "end_column"} {
			if q.args.has(name) {
				return out, usagef("missing_argument", "a range begins with start_line", "the argument %s goes with start_line", name)
			}
		}
	}
	m, err := q.read(s.file)
	if err != nil {
		return out, err
	}
	whole := !q.args.has("start_line")
	from := q.args.num("start_line", 1)
	to := q.args.num("end_line", from)
	if whole {
		to = m.Lines()
	}
	for _, n := range []int{from, to} {
		if n > m.Lines() {
			return out, usagef("bad_line", "lines count from 1", "%s has %d lines, not %d", quotePath(s.shown), m.Lines(), n)
		}
	}
	// A column past the end of a line means the line's end.
	out = textpos.PointRange{
		Start: textpos.Point{Line: from, Column: q.args.num("start_column", 1)},
		End:   textpos.Point{Line: to, Column: q.args.num("end_column", maxPosition)},
	}
	if to < from || to == from && out.End.Column < out.Start.Column {
		return out, usagef("bad_range", "the start comes first", "the range ends before it starts")
	}
	return out, nil
}
