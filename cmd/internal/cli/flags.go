package cli

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
	"lspbridge/limits"
	"lspbridge/tools"
)

// placeFlags are the flags of commands that look at a workspace.
type placeFlags struct {
	workspace []string
	exclude   []string
	servers   string
	settings  []string
	limits    []string
	trust     bool
	logLevel  *choice
}

func addPlaceFlags(cmd *cobra.Command) *placeFlags {
	f := &placeFlags{}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.workspace, "workspace", nil, "root `DIR` of the workspace, repeatable (default: the current folder)")
	flags.StringArrayVar(&f.exclude, "exclude", nil, "never show files that match `GLOB` (relative to the workspace, ** for any folders), repeatable")
	flags.StringVar(&f.servers, "servers", "", "read language servers from `FILE` instead of servers.json in the config folder")
	flags.StringArrayVar(&f.settings, "setting", nil, "set one setting of a language server for this run, `NAME=VALUE` as in gopls.buildFlags='[\"-tags=x\"]', repeatable")
	flags.StringArrayVar(&f.limits, "limit", nil, "set a limit, `NAME=VALUE` as in max_items=50, repeatable; doctor lists them")
	flags.BoolVar(&f.trust, "trust", false, "trust the workspace for this run: its language servers may run its build tools")
	f.logLevel = choiceFlag(cmd, "log-level", "warn", "what is logged to standard error", "error", "warn", "info", "debug")
	_ = cmd.MarkFlagDirname("workspace") // it fails only for a flag that does not exist
	return f
}

// startFlags are the flags of commands that start language servers.
type startFlags struct {
	*placeFlags
	install bool
	env     []string
	// toolset is what the bridge offers: to the command line all there is.
	toolset tools.Toolset
}

func addStartFlags(cmd *cobra.Command) *startFlags {
	f := &startFlags{placeFlags: addPlaceFlags(cmd), toolset: tools.Full}
	flags := cmd.Flags()
	flags.BoolVar(&f.install, "install", false, "install a missing language server that lspbridge can install (gopls), with your own go")
	flags.StringArrayVar(&f.env, "env", nil, "let the environment variable `NAME` pass to language servers, repeatable")
	return f
}

// toolsetFlag adds the flag that chooses among the toolsets.
func toolsetFlag(cmd *cobra.Command) *choice {
	return choiceFlag(cmd, "toolset", string(tools.Core), "the tools that are offered: core, or full with those of editors too", tools.Toolsets()...)
}

// waitFlags are the flags of commands that wait for language servers.
type waitFlags struct {
	quiet        bool
	timeout      time.Duration
	allowPartial bool
}

func addWaitFlags(cmd *cobra.Command) *waitFlags {
	f := &waitFlags{}
	flags := cmd.Flags()
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "nothing on standard error but errors")
	flags.DurationVar(&f.timeout, "timeout", limits.MaxCommandTimeout, "the longest a question may take, start of the language server included")
	flags.BoolVar(&f.allowPartial, "allow-partial", false, "exit 0 also for an answer that is not complete")
	return f
}

// conditionFlags are the flags that make the exit code depend on what is found.
type conditionFlags struct {
	*waitFlags
	failIfFound bool
	failIfEmpty bool
}

func addConditionFlags(cmd *cobra.Command) *conditionFlags {
	f := &conditionFlags{waitFlags: addWaitFlags(cmd)}
	flags := cmd.Flags()
	flags.BoolVar(&f.failIfFound, "fail-if-found", false, "exit 1 if something is found")
	flags.BoolVar(&f.failIfEmpty, "fail-if-empty", false, "exit 1 if nothing is found")
	cmd.MarkFlagsMutuallyExclusive("fail-if-found", "fail-if-empty")
	return f
}

// answerFlags are the flags of commands that print an answer.
type answerFlags struct {
	*conditionFlags
	format *choice
	color  *choice
}

func addAnswerFlags(cmd *cobra.Command, formats ...string) *answerFlags {
	f := &answerFlags{conditionFlags: addConditionFlags(cmd)}
	f.format = choiceFlag(cmd, "format", formats[0], "form of the answer", formats...)
	f.color = choiceFlag(cmd, "color", "auto", "colours in text answers", "auto", "always", "never")
	return f
}

func (f *answerFlags) outputFormat() output.Format { return output.Format(f.format.value) }

// The formats of commands whose answer is a list of places, of those that a
// review of a change shows, and of the others.
var (
	reviewFormats = append(slices.Clone(placeFormats), string(output.SARIF), string(output.GitHub))
	placeFormats  = []string{string(output.Text), string(output.Vimgrep), string(output.JSON), string(output.JSONL)}
	plainFormats  = []string{string(output.Text), string(output.JSON), string(output.JSONL)}
)

// pageFlags are the flags of commands whose answer can come in pages.
type pageFlags struct{ cursor string }

func addPageFlags(cmd *cobra.Command) *pageFlags {
	f := &pageFlags{}
	cmd.Flags().StringVar(&f.cursor, "cursor", "", "print the page at `CURSOR`, which the page before ended with; repeat the question and its --limit")
	return f
}

// put adds the page's cursor to the arguments of a tool.
func (f *pageFlags) put(args map[string]any) {
	if f.cursor != "" {
		args["cursor"] = f.cursor
	}
}

// style is how answers are drawn.
func (a *app) style(color string) output.Style {
	s := output.Style{Terminal: a.env.StdoutTerminal, Version: a.version()}
	switch color {
	case "always":
		s.Color = true
	case "auto":
		// https://no-color.org: any value but the empty one.
		s.Color = s.Terminal && a.env.getenv("NO_COLOR") == "" && a.env.getenv("TERM") != "dumb"
	}
	return s
}
