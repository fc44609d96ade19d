package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"lspbridge/cmd/internal/output"
	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
	"lspbridge/tools"
)

// batchQuestions makes n questions about a generated module, of every tool that
// looks around, some of which get no answer.
func batchQuestions(n int) (files map[string]string, lines []string) {
	files = map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "doer.go": "package m\n\nimport \"fmt\"\n\ntype Doer interface{ Do() string }\n\nvar _ = fmt.Sprint\n"}
	const types = 20
	for i := range types {
		files[fmt.Sprintf("t%d.go", i)] = fmt.Sprintf(`package m

import "fmt"

// T%[1]d does.
type T%[1]d struct{ n int }

// Do does with F%[1]d.
func (t T%[1]d) Do() string { return fmt.Sprint(F%[1]d(t.n), F%[2]d(1)) }

// F%[1]d is called by two.
func F%[1]d(n int) int { return n + %[1]d }
`, i, (i+1)%types)
	}
	for i := range n {
		k := i / 10 % types
		question := []string{
			`"find_references","arguments":{"symbol":"F%[1]d"}`,
			`"find_definition","arguments":{"file":"t%[1]d.go","line":9,"name":"Do","column":1}`, // two forms at once
			`"find_definition","arguments":{"file":"t%[1]d.go","line":9,"name":"Sprint"}`,
			`"find_definition","arguments":{"symbol":"T%[1]d.Do","body":true}`,
			`"hover","arguments":{"symbol":"T%[1]d"}`,
			`"find_implementations","arguments":{"symbol":"T%[1]d"}`,
			`"document_symbols","arguments":{"file":"t%[1]d.go"}`,
			`"workspace_symbols","arguments":{"query":"F%[1]d","max_items":1}`,
			`"find_references","arguments":{"symbol":"Missing%[1]d"}`,
			`"preview_format","arguments":{"file":"t%[1]d.go"}`,
		}[i%10]
		lines = append(lines, fmt.Sprintf(`{"id":%d,"tool":%s}`, i, fmt.Sprintf(question, k)))
	}
	return files, lines
}

// volatile are the members that may differ between two answers to one question.
var volatile = regexp.MustCompile(`"(waited_ms|generation)":\d+`)

// TestBatchIsSameAsSingle: 200 questions side by side on one warm server get the
// bytes that each gets when it is asked by itself.
func TestBatchIsSameAsSingle(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	files, lines := batchQuestions(200)
	a, s, budget := openBatch(t, gopls, files)
	// The last line has no end.
	out, code, err := runBatch(t, a, s, budget, strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	if code != exitUsage {
		t.Errorf("exit code %d, want that of the questions without a target, %d", code, exitUsage)
	}
	got := strings.SplitAfter(out, "\n")
	if got = got[:len(got)-1]; len(got) != len(lines) {
		t.Fatalf("%d answers to %d questions", len(got), len(lines))
	}
	failed := 0
	for i, line := range lines {
		var q struct {
			ID        json.RawMessage
			Tool      string
			Arguments json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		echo := output.Question{Command: "batch", Tool: q.Tool, Arguments: q.Arguments, Line: i + 1, ID: q.ID}
		var want bytes.Buffer
		result := s.bridge.Call(t.Context(), tools.Call{Tool: q.Tool, Args: q.Arguments, Unpaged: !strings.Contains(line, "max_items")})
		if result.Err != nil {
			failed++
			err = output.WriteError(&want, output.JSONL, echo, result.Err, output.Style{})
		} else {
			answer, e := output.NewAnswer(result)
			if e != nil {
				t.Fatal(e)
			}
			err = output.WriteLine(&want, echo, answer, output.Style{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if g, w := volatile.ReplaceAllString(got[i], ""), volatile.ReplaceAllString(want.String(), ""); g != w {
			t.Errorf("%s:\nin the batch %sby itself   %s", line, g, w)
		}
	}
	if failed != 40 {
		t.Errorf("%d questions fail, want 40: the answers may say nothing", failed)
	}
}

// TestBatchGoesOn: each bad line gets its error, and the others their answers.
func TestBatchGoesOn(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	a, s, budget := openBatch(t, gopls, map[string]string{"go.mod": "module m\n", "a.go": "package m\n\nfunc F() {}\n"})
	budget.MCPMessageBytes = 200
	input := strings.Join([]string{
		`{"id":"first","tool":"hover","arguments":{"symbol":"F"}}`,
		``, "\t\r",
		`no json`,
		`{"tool":"hover","arguments":{"symbol":"F"},"more":1}`,
		`{"tool":"` + strings.Repeat("x", 300) + `"}`,
		`{"tool":"find_refs"}`,
		`{"tool":"hover","arguments":{"symbol":"F","depth":1}}`,
		`{"tool":"hover","arguments":null}`,
		`{"tool":"hover","arguments":{"symbol":"F"}}`,
	}, "\n")
	out, code, err := runBatch(t, a, s, budget, strings.NewReader(input))
	if err != nil || code != exitUsage {
		t.Fatalf("exit code %d, %v", code, err)
	}
	want := []struct {
		line int
		code string
	}{{1, ""}, {4, "usage"}, {5, "usage"}, {6, "usage"}, {7, "unknown_tool"}, {8, "unknown_argument"}, {9, "bad_arguments"}, {10, ""}}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d answers, want %d:\n%s", len(lines), len(want), out)
	}
	for i, w := range want {
		var got struct {
			SchemaVersion int `json:"schema_version"`
			Question      output.Question
			Text          string
			Error         *tools.Error
		}
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}
		if got.SchemaVersion != 1 || got.Question.Command != "batch" || got.Question.Line != w.line {
			t.Errorf("answer %d: %s", i, lines[i])
		}
		switch {
		case w.code == "" && (got.Error != nil || !strings.Contains(got.Text, "func F()")):
			t.Errorf("line %d: %s", w.line, lines[i])
		case w.code != "" && (got.Error == nil || got.Error.Code != w.code || len(lines[i]) > 1000):
			t.Errorf("line %d: %s, want error %s", w.line, lines[i], w.code)
		}
	}
	if !strings.Contains(lines[0], `"id":"first"`) {
		t.Errorf("the id is not in %s", lines[0])
	}
}

// TestBatchAnswersAtOnce: an answer is there before the next question is.
func TestBatchAnswersAtOnce(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	a, s, budget := openBatch(t, gopls, map[string]string{"go.mod": "module m\n", "a.go": "package m\n\nfunc F() {}\n"})
	in, ask := io.Pipe()
	read, out := io.Pipe()
	a.env.Stdin, a.env.Stdout = in, out
	ended := make(chan error, 1)
	go func() {
		_, err := newBatch(a, s, budget).run(t.Context())
		ended <- err
	}()
	answers := json.NewDecoder(read)
	for range 3 {
		if _, err := io.WriteString(ask, `{"tool":"hover","arguments":{"symbol":"F"}}`+"\n"); err != nil {
			t.Fatal(err)
		}
		var answer struct{ Text string }
		if err := answers.Decode(&answer); err != nil || answer.Text == "" {
			t.Fatal(answer, err)
		}
	}
	// Who does not read any more ends it, with an error.
	if err := read.CloseWithError(errors.New("gone")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(ask, `{"tool":"hover","arguments":{"symbol":"F"}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		var e *tools.Error
		if !errors.As(err, &e) || e.Code != "not_written" {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on without a reader")
	}
}

// TestBatchWaitsForTheFirst: a slow question holds the answers behind it back, and
// then no more are read; the order stays.
func TestBatchWaitsForTheFirst(t *testing.T) {
	const questions, calls = 60, 4
	fake := lsptest.NewProcess(t, lsptest.Script{
		Capabilities: `{"hoverProvider": true, "textDocumentSync": 1}`,
		On: map[string][]lsptest.Reaction{"textDocument/hover": {
			{Before: []lsptest.Action{{Hold: true}}, Result: `{"contents":"slow"}`}, {Result: `{"contents":"quick"}`},
		}},
	})
	gopls := fake.Program(t, t.TempDir(), "gopls", "golang.org/x/tools/gopls "+lsptest.GoplsVersion)
	a, s, budget := openBatch(t, gopls, map[string]string{"go.mod": "module m\n", "a.go": "package m\n\nfunc F() {}\n"})
	budget.SessionCalls = calls
	in, ask := io.Pipe()
	read, out := io.Pipe()
	a.env.Stdin, a.env.Stdout = in, out
	ended := make(chan error, 1)
	go func() {
		_, err := newBatch(a, s, budget).run(t.Context())
		ended <- err
	}()
	line := func(id int) string {
		return fmt.Sprintf(`{"id":%d,"tool":"hover","arguments":{"file":"a.go","line":3,"name":"F"}}`+"\n", id)
	}
	asked := make(chan int, questions)
	go func() {
		defer close(asked)
		defer ask.Close()
		for id := range questions {
			if _, err := io.WriteString(ask, line(id)); err != nil {
				t.Error(err)
				return
			}
			asked <- id
		}
	}()
	fake.Await(t, "textDocument/hover", calls)
	// One more is read, and waits for room; another is in the pipe.
	for range calls + 1 {
		<-asked
	}
	select {
	case id, ok := <-asked:
		t.Errorf("question %d (%v) is read before the first is answered", id, ok)
	case <-time.After(300 * time.Millisecond):
	}
	if n := len(fake.Of("textDocument/hover")); n != calls {
		t.Errorf("%d questions are under way, want %d", n, calls)
	}
	fake.Release()
	answers := json.NewDecoder(read)
	for id := range questions {
		var answer struct {
			Question struct{ ID int }
			Text     string
		}
		if err := answers.Decode(&answer); err != nil || answer.Question.ID != id {
			t.Fatalf("answer %+v, %v, want that of question %d", answer, err, id)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// openBatch returns a session over files whose only server is gopls.
func openBatch(t *testing.T, gopls string, files map[string]string) (*app, *session, limits.Budget) {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	lsptest.WriteFiles(t, dir, files)
	if err := os.Symlink(gopls, bin+"/gopls"); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := &app{env: Environment{
		Stderr: io.Discard, Dir: dir, Self: self, Home: t.TempDir(), Cache: t.TempDir(), Now: time.Now,
		Environ: append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")),
	}, question: output.Question{Command: "batch"}}
	flags := &startFlags{placeFlags: &placeFlags{trust: true, logLevel: &choice{value: "error"}}}
	budget, _, err := flags.askBudget(10 * time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.open(flags, budget)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return a, s, budget
}

func newBatch(a *app, s *session, budget limits.Budget) *batch {
	return &batch{app: a, session: s, flags: &conditionFlags{waitFlags: &waitFlags{}}, limits: budget}
}

// runBatch answers the lines of in.
func runBatch(t *testing.T, a *app, s *session, budget limits.Budget, in io.Reader) (string, int, error) {
	t.Helper()
	var out bytes.Buffer
	a.env.Stdin, a.env.Stdout = in, &out
	code, err := newBatch(a, s, budget).run(t.Context())
	return out.String(), code, err
}
