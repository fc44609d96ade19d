package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"lspbridge/cmd/internal/output"
	"lspbridge/lspclient"
	"lspbridge/tools"
)

// A query is one question of the command line.
type query struct {
	tool string
	args map[string]any
	// file is the argument that names a file, for --install to know its server;
	// "" asks about the whole workspace.
	file string
}

// ask opens the workspace, asks what makes, and prints the answer.
func (a *app) ask(ctx context.Context, start *startFlags, answer *answerFlags, makeQuery func(*session) (query, error)) error {
	found, err := a.answer(ctx, start, answer, makeQuery)
	if err != nil {
		return err
	}
	return a.print(answer, found)
}

// answer opens the workspace and asks what makeQuery makes.
func (a *app) answer(ctx context.Context, start *startFlags, answer *answerFlags, makeQuery func(*session) (query, error)) (*output.Answer, error) {
	budget, paged, err := start.askBudget(answer.timeout)
	if err != nil {
		return nil, err
	}
	s, err := a.open(start, budget)
	if err != nil {
		return nil, err
	}
	defer s.close()
	q, err := makeQuery(s)
	if err != nil {
		return nil, err
	}
	if start.install {
		if err := a.installMissing(ctx, s, q.file); err != nil {
			return nil, err
		}
	}
	return a.call(ctx, s, answer, q, !paged)
}

// call asks one question. A question that got no answer is an error.
func (a *app) call(ctx context.Context, s *session, f *answerFlags, q query, unpaged bool) (*output.Answer, error) {
	raw, err := json.Marshal(q.args)
	if err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", q.tool, err)
	}
	a.question.Tool, a.question.Arguments = q.tool, raw
	c := tools.Call{Tool: q.tool, Args: raw, Unpaged: unpaged, Progress: a.progressOf(f.waitFlags)}
	answer, err := s.answer(ctx, c)
	a.progress.Clear()
	return answer, err
}

// answer asks one question. An unpaged one is answered whole: an answer over
// response_chars comes in pages, which become one answer here.
func (s *session) answer(ctx context.Context, c tools.Call) (*output.Answer, error) {
	answer, err := s.page(ctx, c)
	for err == nil && c.Unpaged && answer.NextCursor() != "" {
		if c.Args, err = withCursor(c.Args, answer.NextCursor()); err != nil {
			break
		}
		var next *output.Answer
		next, err = s.page(ctx, c)
		var changed *tools.Error
		if errors.As(err, &changed) && changed.Code == "changed_answer" {
			return nil, failure(tools.ClassIncomplete, "changed_answer", "ask again", "the answer changed while its pages were read")
		}
		if err == nil {
			err = answer.Append(next)
		}
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// page asks one question, whose answer may be one page of several.
func (s *session) page(ctx context.Context, c tools.Call) (*output.Answer, error) {
	result := s.bridge.Call(ctx, c)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if result.Err != nil {
		return nil, result.Err
	}
	return output.NewAnswer(result)
}

// withCursor returns the arguments of the page at cursor.
func withCursor(arguments json.RawMessage, cursor string) (json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &args); err != nil {
			return nil, fmt.Errorf("arguments: %w", err)
		}
	}
	raw, err := json.Marshal(cursor)
	if err != nil {
		return nil, fmt.Errorf("cursor: %w", err)
	}
	args["cursor"] = raw
	return json.Marshal(args)
}

// progressOf returns what draws the progress of a question, nil where none is
// drawn.
func (a *app) progressOf(f *waitFlags) lspclient.Progress {
	if !a.env.StderrTerminal || f.quiet {
		return nil
	}
	return a.report
}

// report draws what a question waits for.
func (a *app) report(text string, done, total int) {
	if total > 0 {
		text = fmt.Sprintf("%s (%d%%)", text, 100*min(done, total)/total)
	}
	a.progress.Show(text)
}

// print writes an answer and returns the exit status that goes with it.
func (a *app) print(f *answerFlags, answer *output.Answer) error {
	format := f.outputFormat()
	notes, err := output.Write(a.env.Stdout, format, a.question, answer, a.style(f.color.value))
	if err != nil {
		return unwritten(err)
	}
	if !f.quiet {
		for _, n := range notes {
			a.note(n)
		}
	}
	if format == output.Vimgrep {
		a.doubt(f, answer)
	}
	return f.status(answer)
}

// doubt says on standard error why an answer is not complete, where its form has
// no room for that.
func (a *app) doubt(f *answerFlags, answer *output.Answer) {
	if f.quiet || answer.State() == "" || answer.State() == string(lspclient.Complete) {
		return
	}
	for _, r := range answer.Reasons() {
		a.note(fmt.Sprintf("the answer is %s: %s", answer.State(), r))
	}
}

// unwritten is the error of an answer that standard output did not take.
func unwritten(err error) error {
	return failure(tools.ClassServer, "not_written", "", "the answer could not be written: %v", reason(err))
}

// status is the exit status of an answer. What was found is there also in an
// answer that is not complete; that nothing is there, only a complete one knows.
func (f *conditionFlags) status(answer *output.Answer) error {
	whole := answer.State() == "" || answer.State() == string(lspclient.Complete) || f.allowPartial
	switch {
	case f.failIfFound && answer.Found() > 0:
		return exitStatus(exitCondition)
	case !whole:
		return exitStatus(exitIncomplete)
	case f.failIfEmpty && answer.Found() == 0:
		return exitStatus(exitCondition)
	}
	return nil
}
