package cli

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// TestHelp: every command says what it does and gives examples, and each example
// is a command line that it accepts.
func TestHelp(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		t.Run(cmd.CommandPath(), func(t *testing.T) { checkHelp(t, cmd.CommandPath()) })
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	root := testApp().rootCommand()
	for _, cmd := range root.Commands() {
		visit(cmd)
	}
}

func checkHelp(t *testing.T, path string) {
	find := func(args []string) (*cobra.Command, []string) {
		t.Helper()
		root := testApp().rootCommand()
		cmd, rest, err := root.Find(args)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return cmd, rest
	}
	cmd, _ := find(strings.Fields(path)[1:])
	if cmd.Short == "" || cmd.Long == "" || strings.HasSuffix(cmd.Short, ".") {
		t.Errorf("short help %q, long help %q", cmd.Short, cmd.Long)
	}
	examples := strings.Split(cmd.Example, "\n")
	own := 0
	for _, line := range examples {
		words := splitWords(line)
		if len(words) == 0 || words[0] != programName {
			t.Fatalf("the example %q does not begin with the program's name", line)
		}
		found, rest := find(words[1:])
		if found.CommandPath() == path {
			own++
		}
		if err := found.ParseFlags(rest); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if err := found.ValidateArgs(found.Flags().Args()); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if err := found.ValidateFlagGroups(); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if own == 0 {
		t.Error("no example of the command itself")
	}
}

// splitWords splits an example as a shell does, as far as examples need it.
func splitWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words[len(words)-1] += part
			continue
		}
		fields := strings.Fields(part)
		if i > 0 && len(fields) > 0 && part[0] != ' ' {
			words[len(words)-1] += fields[0]
			fields = fields[1:]
		}
		words = append(words, fields...)
	}
	return words
}

func testApp() *app {
	return &app{env: Environment{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Dir: "/nowhere", Now: time.Now,
	}}
}

// TestConditions: every question can decide the exit code by what is found, and
// accepts an answer that is not complete.
func TestConditions(t *testing.T) {
	asked := 0
	for _, cmd := range testApp().rootCommand().Commands() {
		if cmd.GroupID != groupAsk {
			continue
		}
		asked++
		for _, flag := range []string{"fail-if-found", "fail-if-empty", "allow-partial", "timeout", "quiet"} {
			if cmd.Flags().Lookup(flag) == nil {
				t.Errorf("%s has no --%s", cmd.Name(), flag)
			}
		}
		if err := cmd.ParseFlags([]string{"--fail-if-found", "--fail-if-empty"}); err != nil {
			t.Fatal(err)
		}
		if cmd.ValidateFlagGroups() == nil {
			t.Errorf("%s takes --fail-if-found and --fail-if-empty at once", cmd.Name())
		}
	}
	if asked < 10 {
		t.Errorf("only %d commands ask", asked)
	}
}
