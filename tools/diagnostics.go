package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
)

// maxSettle bounds settle_ms.
const maxSettle = 60_000

func diagnosticsTool() tool {
	return tool{
		name:  "diagnostics",
		title: "Diagnostics",
		desc: "Errors and warnings of a file, or of all files of the workspace that its build reads, for the text as it is on disk now. " +
			"Each file is clean, has problems, or is unknown: only clean means that there are none.",
		params: slices.Concat([]param{
			{name: "file", typ: typeString, desc: "Relative to the workspace; default the whole workspace"},
			{name: "severity", typ: typeString, enum: lspclient.Severities(), desc: "The least that is shown, default hint"},
			{name: "source", typ: typeString, desc: "Only from this source: compiler, clang, ..."},
			{name: "settle_ms", typ: typeInteger, min: 0, max: maxSettle, desc: "Quiet time for servers that publish in steps"},
		}, pageParams()),
		output: diagnosticsSchema(),
		run:    runDiagnostics,
	}
}

func diagnosticsSchema() string {
	diagnostic := slices.Concat(locationFields(), []field{
		{"severity", schemaString, true}, {"source", schemaString, false}, {"code", schemaString, false},
		{"message", schemaString, true}, {"tags", schemaStrings, false},
		{"related", arraySchema(objectSchema(append(locationFields(), field{"message", schemaString, true})...)), false},
	})
	return objectSchema(
		field{"items", arraySchema(objectSchema(
			field{"path", schemaString, true},
			field{"state", `{"type":"string","enum":["clean","problems","unknown"]}`, true},
			field{"reason", schemaString, false},
			field{"hidden", schemaInteger, false},
			field{"diagnostics", arraySchema(objectSchema(diagnostic...)), true},
		)), true},
		field{"total", schemaInteger, true},
		field{"at_least", schemaBoolean, true},
		field{"states", objectSchema(field{"clean", schemaInteger, true}, field{"problems", schemaInteger, true}, field{"unknown", schemaInteger, true}), true},
		field{"counts", objectSchema(field{"error", schemaInteger, true}, field{"warning", schemaInteger, true}, field{"information", schemaInteger, true}, field{"hint", schemaInteger, true}), true},
		field{"skipped", schemaStrings, true},
		completenessField(),
		field{"next_cursor", schemaString, false},
	)
}

// A fileItem is what is known of the problems in one file. A file with very many
// comes in several items, one after the other.
type fileItem struct {
	Path        string           `json:"path"`
	State       string           `json:"state"`
	Reason      string           `json:"reason,omitempty"` // of unknown
	Hidden      int              `json:"hidden,omitempty"` // problems that severity and source leave out
	Diagnostics []diagnosticItem `json:"diagnostics"`
}

type diagnosticItem struct {
	location
	Severity string        `json:"severity"`
	Source   string        `json:"source,omitempty"`
	Code     string        `json:"code,omitempty"`
	Message  string        `json:"message"`
	Tags     []string      `json:"tags,omitempty"`
	Related  []relatedItem `json:"related,omitempty"`
}

type relatedItem struct {
	location
	Message string `json:"message"`
}

// fileCounts and severityCounts are over the whole answer, not over its page.
type fileCounts struct {
	Clean    int `json:"clean"`
	Problems int `json:"problems"`
	Unknown  int `json:"unknown"`
}

type severityCounts struct {
	Error       int `json:"error"`
	Warning     int `json:"warning"`
	Information int `json:"information"`
	Hint        int `json:"hint"`
}

// diagnosticsAnswer is a listAnswer and what counts all of it.
type diagnosticsAnswer struct {
	listAnswer
	Files   fileCounts     `json:"states"`
	Counts  severityCounts `json:"counts"`
	Skipped []string       `json:"skipped"`
}

// A fileReport is what was learnt of one file.
type fileReport struct {
	file  confine.File
	found lspclient.FileDiagnostics
}

func runDiagnostics(q *question) (reply, error) {
	settle := q.b.limits.Settle
	if q.args.has("settle_ms") {
		settle = time.Duration(q.args.num("settle_ms", 0)) * time.Millisecond
	}
	if q.args.has("file") {
		s, err := q.subject(q.args.str("file"))
		if err != nil {
			return reply{}, err
		}
		found, err := q.b.pool.Diagnostics(q.ctx, s.file, settle)
		if err != nil {
			return reply{}, err
		}
		return q.diagnosed("diagnostics of "+quotePath(s.shown), []fileReport{{s.file, found}}, nil, found.Completeness)
	}
	files, skipped, err := q.b.pool.DiagnosticFiles(q.ctx)
	if err != nil {
		return reply{}, err
	}
	whole := lspclient.Completeness{State: lspclient.Complete}
	if most := q.b.limits.DiagnosticFiles; len(files) > most {
		whole = partial(whole, fmt.Sprintf("the first %d of %d files (diagnostic_files)", most, len(files)))
		files = files[:most]
	}
	reports := q.diagnoseAll(files, settle)
	unknown := 0
	for _, r := range reports {
		if r.found.State == lspclient.FileUnknown {
			unknown++
			continue
		}
		whole = lspclient.Merge(whole, r.found.Completeness)
	}
	if unknown > 0 {
		whole = partial(whole, fmt.Sprintf("%d of %d files are unknown", unknown, len(reports)))
	}
	return q.diagnosed("diagnostics of the workspace", reports, skipped, whole)
}

// partial adds a reason to completeness.
func partial(c lspclient.Completeness, reason string) lspclient.Completeness {
	return lspclient.Merge(c, lspclient.Completeness{State: lspclient.Partial, Generation: c.Generation, Reasons: []string{reason}})
}

// filesAtOnce is how many files are asked about side by side; answerMargin what
// stays of a call's time for the answer, when not all of them can be.
const (
	filesAtOnce  = 4
	answerMargin = 2 * time.Second
)

// diagnoseAll asks about every file. One that gets no answer in time, or an error
// in its place, is unknown.
func (q *question) diagnoseAll(files []confine.File, settle time.Duration) []fileReport {
	ctx, cancel := q.ctx, context.CancelFunc(func() {})
	if deadline, ok := q.ctx.Deadline(); ok {
		ctx, cancel = context.WithDeadline(q.ctx, deadline.Add(-min(answerMargin, time.Until(deadline)/4)))
	}
	defer cancel()
	reports := make([]fileReport, len(files))
	slots := make(chan struct{}, filesAtOnce)
	var wg sync.WaitGroup
	var mu sync.Mutex // guards done, and what is reported of it
	done := 0
	for i, f := range files {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			var err error
			defer q.b.recovered(&err)
			reports[i] = fileReport{f, lspclient.FileDiagnostics{State: lspclient.FileUnknown, Why: "not asked in time"}}
			if ctx.Err() != nil {
				return
			}
			found, err := q.b.pool.Diagnostics(ctx, f, settle)
			if err != nil {
				found = lspclient.FileDiagnostics{State: lspclient.FileUnknown, Why: q.b.toError(ctx, err).Message}
			}
			reports[i].found = found
			mu.Lock()
			defer mu.Unlock()
			done++
			lspclient.Report(q.ctx, fmt.Sprintf("diagnostics: %d of %d files", done, len(files)), done, len(files))
		})
	}
	wg.Wait()
	return reports
}

// maxDiagnosticsItem is how many problems one item holds: an item is what a page
// takes or leaves.
const maxDiagnosticsItem = 10

// A piece is one item to be: some of the problems of a file.
type piece struct {
	report *fileReport
	shown  []lspclient.Diagnostic
	hidden int
}

// diagnosed answers with a page of files: those with problems first, then the
// unknown ones. Clean ones are only counted where more than one file is asked
// about.
func (q *question) diagnosed(heading string, reports []fileReport, skipped []string, whole lspclient.Completeness) (reply, error) {
	var files fileCounts
	var counts severityCounts
	var pieces []piece
	for i := range reports {
		r := &reports[i]
		switch r.found.State {
		case lspclient.FileClean:
			files.Clean++
		case lspclient.FileProblems:
			files.Problems++
		default:
			files.Unknown++
		}
		p := piece{report: r}
		for _, d := range r.found.Items {
			if !q.wants(d) {
				p.hidden++
				continue
			}
			counts.add(d.Severity)
			p.shown = append(p.shown, d)
		}
		if len(reports) > 1 && (r.found.State == lspclient.FileClean || r.found.State == lspclient.FileProblems && len(p.shown) == 0) {
			continue
		}
		if len(p.shown) == 0 {
			pieces = append(pieces, p)
		}
		for part := range slices.Chunk(p.shown, maxDiagnosticsItem) {
			pieces = append(pieces, piece{r, part, p.hidden})
		}
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return fileRank(a) - fileRank(b) })
	answer, err := digestItems(digestible(pieces))
	if err != nil {
		return reply{}, err
	}
	summary := files.String() + counts.String()
	if len(skipped) > 0 {
		summary += "; not asked: " + strings.Join(skipped, ", ")
	}
	if skipped == nil {
		skipped = []string{}
	}
	aside, err := encode(diagnosticsAnswer{Files: files, Counts: counts, Skipped: skipped})
	if err != nil {
		return reply{}, err
	}
	l := listing{
		heading: heading + " (" + summary + ")", aside: len(aside), noun: "files to show", total: len(pieces), completeness: q.complete(whole), answer: answer,
		item: func(i, first int) (any, string) {
			return q.piece(pieces[i], i == first || pieces[i-1].report != pieces[i].report)
		},
	}
	r, err := q.page(l)
	if err != nil {
		return reply{}, err
	}
	r.structured = diagnosticsAnswer{r.structured.(listAnswer), files, counts, skipped}
	return r, nil
}

// digestible is what the digest of an answer is made of: no random references.
func digestible(list []piece) []any {
	var out []any
	for _, p := range list {
		out = append(out, p.report.file, p.report.found.State, p.report.found.Why, p.shown, p.hidden)
	}
	return out
}

func fileRank(p piece) int {
	if p.report.found.State == lspclient.FileProblems {
		return 0
	}
	return 1
}

// wants reports whether the caller asked for such a problem.
func (q *question) wants(d lspclient.Diagnostic) bool {
	least := slices.Index(lspclient.Severities(), q.args.str("severity"))
	if least >= 0 && slices.Index(lspclient.Severities(), d.Severity) > least {
		return false
	}
	return !q.args.has("source") || strings.EqualFold(d.Source, q.args.str("source"))
}

func (c *severityCounts) add(severity string) {
	switch severity {
	case "error":
		c.Error++
	case "warning":
		c.Warning++
	case "information":
		c.Information++
	default:
		c.Hint++
	}
}

func (c severityCounts) String() string {
	var out string
	for _, p := range []struct {
		n    int
		noun string
	}{{c.Error, "error"}, {c.Warning, "warning"}, {c.Information, "note"}, {c.Hint, "hint"}} {
		if p.n > 0 {
			out += fmt.Sprintf(", %s", counted(p.n, p.noun))
		}
	}
	return out
}

func (c fileCounts) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		noun string
	}{{c.Problems, "with problems"}, {c.Unknown, "unknown"}, {c.Clean, "clean"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.noun))
		}
	}
	if parts == nil {
		return "no files"
	}
	return strings.Join(parts, ", ")
}

// counted says "1 error", "2 errors".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// piece renders one item; head says whether its text begins with the file.
func (q *question) piece(p piece, head bool) (fileItem, string) {
	found := p.report.found
	q.server = found.Server
	item := fileItem{Path: q.b.ws.Shown(p.report.file), State: string(found.State), Hidden: p.hidden, Diagnostics: []diagnosticItem{}}
	var text strings.Builder
	if head {
		text.WriteString(quotePath(item.Path) + ": " + item.State)
		if found.State == lspclient.FileUnknown {
			item.Reason = clipTo(oneLine(q.b.redact.Error(found.Why)), maxReasonChars)
			text.WriteString(": " + item.Reason)
		}
		if p.hidden > 0 {
			fmt.Fprintf(&text, " (%d more hidden by severity or source)", p.hidden)
		}
		text.WriteString("\n")
	}
	for _, d := range p.shown {
		it := diagnosticItem{
			location: q.locate(d.Place), Severity: d.Severity, Source: oneLine(q.b.redact.Text(d.Source)), Code: oneLine(q.b.redact.Text(d.Code)),
			Message: clipTo(strings.TrimSpace(q.b.redact.Error(d.Message)), maxMessageChars), Tags: d.Tags,
		}
		fmt.Fprintf(&text, "  %d:%d  %s", it.Line, it.Column, it.Severity)
		if name := strings.TrimSpace(it.Source + " " + it.Code); name != "" {
			text.WriteString(" [" + name + "]")
		}
		text.WriteString("  " + strings.ReplaceAll(it.Message, "\n", "\n      ") + "\n")
		for _, r := range d.Related {
			rel := relatedItem{q.locate(r.Place), clipTo(strings.TrimSpace(q.b.redact.Error(r.Message)), maxMessageChars)}
			it.Related = append(it.Related, rel)
			fmt.Fprintf(&text, "      %s:%d:%d  %s\n", rel.where(), rel.Line, rel.Column, oneLine(rel.Message))
		}
		item.Diagnostics = append(item.Diagnostics, it)
	}
	return item, text.String()
}
