package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
	"lspbridge/limits"
	"lspbridge/tools"
)

func (a *app) batchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "batch",
		Short: "Answer questions from standard input, a line each, with servers that stay warm",
		Long: `Answer questions from standard input: a JSON object a line in, a JSON object a line
out, in the same order. A question is

  {"id": 1, "tool": "find_references", "arguments": {"symbol": "limits.Budget"}}

with the name and the arguments of a tool of either toolset, as lspbridge tools
--toolset full --format json describes them; paths are relative to the workspace.
"id" may be left out; it is any string, number, true, false or null, and stands in
the answer's question, as does the number of the line. Anything else in a question
is an error. Empty lines are passed over.

An answer is what --format json prints for one question. A line that cannot be
answered gives an object with error, and the rest goes on. Answers are whole; a
question with max_items, max_chars or cursor gets that page. An answer is written as
soon as it and all before it are there, so that a program can ask and wait for it.

Up to session_calls questions are answered side by side; no more are read before
the first of them is answered. The exit code is the highest of those of the lines.`,
		Example: `  lspbridge batch --trust
  lspbridge batch --trust --allow-partial --timeout 1m`,
		Args: takes(),
	}
	start, condition := addStartFlags(cmd), addConditionFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.batch(cmd.Context(), start, condition) }
	return cmd
}

// batch answers the questions on standard input and returns the exit status.
func (a *app) batch(ctx context.Context, start *startFlags, condition *conditionFlags) error {
	budget, paged, err := start.askBudget(condition.timeout)
	if err != nil {
		return err
	}
	s, err := a.open(start, budget)
	if err != nil {
		return err
	}
	defer s.close()
	if start.install {
		if err := a.installMissing(ctx, s, ""); err != nil {
			return err
		}
	}
	// Someone who watches gets each answer, not the death of the program, when the
	// reader of standard output is gone.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	b := &batch{app: a, session: s, flags: condition, limits: budget, paged: paged}
	code, err := b.run(ctx)
	if err == nil && code != exitAnswered {
		return exitStatus(code)
	}
	return err
}

// A batch answers lines of questions by lines of answers.
type batch struct {
	*app
	session *session
	flags   *conditionFlags
	limits  limits.Budget
	paged   bool // answers are pages, as the limits bound them
}

// A batchAnswer is one line of the output, and the exit code it stands for.
type batchAnswer struct {
	line []byte
	code int
	err  error // in place of a line: the input cannot be read any more
}

// run answers until the input ends, the output breaks or ctx ends, and returns
// the highest exit code. A Read or a Write that does not return is left behind.
func (b *batch) run(ctx context.Context) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Each question that is read holds a place until its answer is written: what
	// is held never grows over session_calls answers.
	queue := make(chan chan batchAnswer, max(0, b.limits.SessionCalls-1))
	go b.read(ctx, queue)
	type outcome struct {
		code int
		err  error
	}
	written := make(chan outcome, 1)
	go func() {
		code, err := b.write(queue)
		written <- outcome{code, err}
	}()
	select {
	case o := <-written:
		return o.code, o.err
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// read reads questions as long as there is room for their answers.
func (b *batch) read(ctx context.Context, queue chan<- chan batchAnswer) {
	defer close(queue)
	r := bufio.NewReaderSize(b.env.Stdin, 64<<10)
	for n := 1; ; n++ {
		line, size, err := tools.ReadLine(r, b.limits.MCPMessageBytes)
		long := size > b.limits.MCPMessageBytes
		if line = bytes.TrimSpace(line); len(line) > 0 || long {
			place := make(chan batchAnswer, 1)
			select {
			case queue <- place:
			case <-ctx.Done():
				return
			}
			go func() { place <- b.answer(ctx, n, line, long) }()
		}
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			place := make(chan batchAnswer, 1)
			place <- batchAnswer{err: failure(tools.ClassServer, "not_read", "", "standard input cannot be read any more: %v", reason(err))}
			select {
			case queue <- place:
			case <-ctx.Done():
			}
			return
		}
	}
}

// write writes the answers in the order of their questions, each as soon as it
// is there.
func (b *batch) write(queue <-chan chan batchAnswer) (code int, err error) {
	for place := range queue {
		answer := <-place
		if answer.err != nil {
			return 0, answer.err
		}
		code = max(code, answer.code)
		b.progress.Clear()
		if _, err := b.env.Stdout.Write(answer.line); err != nil {
			return 0, unwritten(err)
		}
	}
	return code, nil
}

// answer answers line n. long says that it is too long to be read.
func (b *batch) answer(ctx context.Context, n int, line []byte, long bool) batchAnswer {
	echo := output.Question{Command: b.question.Command, Line: n}
	if long {
		return b.failed(echo, usage("ask with shorter arguments, or raise --limit mcp_message_bytes=",
			"line %d has more than %d bytes (mcp_message_bytes)", n, b.limits.MCPMessageBytes))
	}
	q, e := decodeBatchQuestion(line)
	echo.ID, echo.Tool = q.id, q.tool
	if len(q.arguments) <= b.limits.ArgumentChars*utf8.UTFMax {
		echo.Arguments = q.arguments // longer ones are refused, and not repeated
	}
	if e != nil {
		return b.failed(echo, e)
	}
	answer, err := b.session.answer(ctx, tools.Call{
		Tool: q.tool, Args: q.arguments, Unpaged: !b.paged && !asksForPage(q.arguments), Progress: b.progressOf(b.flags.waitFlags),
	})
	if err != nil {
		var known *tools.Error
		if !errors.As(err, &known) {
			known = failure(tools.ClassServer, "internal", "", "the question failed inside the bridge: %v", err)
		}
		return b.failed(echo, known)
	}
	var out bytes.Buffer
	if err := output.WriteLine(&out, echo, answer, output.Style{Terminal: b.env.StdoutTerminal}); err != nil {
		return b.failed(echo, failure(tools.ClassServer, "internal", "", "the answer could not be written down: %v", err))
	}
	code := exitAnswered
	var status exitStatus
	if errors.As(b.flags.status(answer), &status) {
		code = int(status)
	}
	return batchAnswer{line: out.Bytes(), code: code}
}

// failed is the answer to a question that got none.
func (b *batch) failed(echo output.Question, e *tools.Error) batchAnswer {
	var out bytes.Buffer
	if err := output.WriteError(&out, output.JSONL, echo, e, output.Style{Terminal: b.env.StdoutTerminal}); err != nil {
		return batchAnswer{err: fmt.Errorf("the error of line %d: %w", echo.Line, err)}
	}
	return batchAnswer{line: out.Bytes(), code: exitOf(e.Class)}
}

// asksForPage reports whether a question asks for one page of its answer.
func asksForPage(arguments json.RawMessage) bool {
	var names map[string]json.RawMessage
	if json.Unmarshal(arguments, &names) != nil {
		return false // the tool says what is wrong
	}
	for _, name := range []string{"max_items", "max_chars", "cursor"} {
		if _, ok := names[name]; ok {
			return true
		}
	}
	return false
}
