package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
	"lspbridge/cmd/internal/terminal"
	"lspbridge/tools"
)

// An app is one run of the command line.
type app struct {
	env      Environment
	progress *terminal.Progress // nil where none is drawn
	question output.Question    // what was asked so far, for json
}

// Run runs the command line args, which are without the program's name, and
// returns the exit code. The end of ctx is an interruption.
func Run(ctx context.Context, args []string, env Environment) int {
	stdout := &checkedWriter{w: env.Stdout}
	env.Stdout = stdout
	a := &app{env: env}
	if env.StderrTerminal {
		a.progress = terminal.NewProgress(env.Stderr, env.Now)
	}
	err := a.execute(ctx, args)
	a.progress.Clear()
	if ctx.Err() != nil {
		return exitInterrupted
	}
	if err == nil && stdout.err != nil {
		err = unwritten(stdout.err) // by a writer that does not say so, as of help
	}
	return a.finish(err, args)
}

// A checkedWriter remembers that a write failed.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil {
		c.err = err
	}
	return n, err
}

func (a *app) execute(ctx context.Context, args []string) error {
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(a.env.Stdin)
	root.SetOut(a.env.Stdout)
	root.SetErr(a.env.Stderr)
	if cmd, _, err := root.Find(args); err == nil {
		a.question.Command = strings.TrimPrefix(cmd.CommandPath(), programName+" ")
	}
	return root.ExecuteContext(ctx)
}

// finish reports err and returns the exit code.
func (a *app) finish(err error, args []string) int {
	if err == nil {
		return exitAnswered
	}
	var status exitStatus
	if errors.As(err, &status) {
		return int(status)
	}
	var known *tools.Error
	if !errors.As(err, &known) {
		known = unknown(err)
	}
	a.complain(known)
	if f := formatOf(args); f.Machine() {
		style := output.Style{Terminal: a.env.StdoutTerminal}
		if err := output.WriteError(a.env.Stdout, f, a.question, known, style); err != nil {
			a.complain(&tools.Error{Message: fmt.Sprintf("the error could not be written: %v", reason(err))})
		}
	}
	return exitOf(known.Class)
}

// unknown makes any other error one to show: cobra's own are about usage, and
// say the rest in further lines.
func unknown(err error) *tools.Error {
	first, rest, _ := strings.Cut(err.Error(), "\n")
	e := usage("lspbridge --help lists the commands", "%s", first)
	if _, list, ok := strings.Cut(rest, "Did you mean this?\n"); ok {
		if names := strings.Fields(list); len(names) > 0 {
			e.Hint = "did you mean " + strings.Join(names, " or ") + "?"
		}
	}
	return e
}

// complain writes an error to standard error: a line, the candidates, a hint.
func (a *app) complain(e *tools.Error) {
	a.progress.Clear()
	var b strings.Builder
	b.WriteString(programName + ": " + terminal.Line(e.Message) + "\n")
	for _, c := range e.Candidates {
		b.WriteString("  " + terminal.Line(c) + "\n")
	}
	if e.Hint != "" {
		b.WriteString("hint: " + terminal.Line(e.Hint) + "\n")
	}
	// There is nowhere left to say that standard error is closed.
	_, _ = a.env.Stderr.Write([]byte(b.String()))
}

// note writes one line to standard error.
func (a *app) note(line string) {
	a.progress.Clear()
	_, _ = a.env.Stderr.Write([]byte(programName + ": " + terminal.Line(line) + "\n"))
}

// formatOf is the format that args ask for, read without the flags of a command,
// so that wrong usage is reported in the format as well.
func formatOf(args []string) output.Format {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if value, ok := strings.CutPrefix(arg, "--format="); ok {
			return output.Format(value)
		}
		if arg == "--format" && i+1 < len(args) {
			return output.Format(args[i+1])
		}
	}
	return output.Text
}

// rootCommand is the whole command line.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           programName,
		Short:         "Ask real language servers about the code of a workspace",
		Long:          rootHelp(),
		Version:       a.version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(*cobra.Command, []string) error {
			return usage("lspbridge --help lists the commands", "no command is given")
		},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(cmd.CommandPath()+" --help lists the flags", "%v", err)
	})
	root.AddGroup(
		&cobra.Group{ID: groupAsk, Title: "Questions:"},
		&cobra.Group{ID: groupServe, Title: "Serving and setting up:"},
	)
	root.AddCommand(grouped(groupAsk,
		a.definitionCommand(), a.declarationCommand(), a.typeCommand(), a.implementationsCommand(),
		a.referencesCommand(), a.callersCommand(), a.calleesCommand(), a.supertypesCommand(), a.subtypesCommand(), a.hoverCommand(), a.contextCommand(),
		a.outlineCommand(), a.symbolsCommand(), a.diagnosticsCommand(), a.formatCommand(), a.renameCommand(), a.actionsCommand(),
		a.batchCommand(),
	)...)
	root.AddCommand(grouped(groupServe,
		a.indexCommand(), a.serveCommand(), a.trustCommand(), a.serversCommand(), a.doctorCommand(), a.toolsCommand(), a.versionCommand(),
	)...)
	return root
}

const (
	groupAsk   = "ask"
	groupServe = "serve"
)

func grouped(id string, cmds ...*cobra.Command) []*cobra.Command {
	for _, c := range cmds {
		c.GroupID = id
	}
	return cmds
}

func rootHelp() string {
	var b strings.Builder
	b.WriteString(`lspbridge starts the language servers of a workspace (gopls, clangd and others)
and answers questions about its code, on this command line and, with serve, to
agents over the Model Context Protocol. It only reads.

` + targetHelp + `
Exit codes:
`)
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "  %3d  %s\n", c.Code, c.Meaning)
	}
	return strings.TrimRight(b.String(), "\n")
}

// takes refuses a number of arguments other than that of names.
func takes(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usage(example(cmd), "%s needs %s", cmd.CommandPath(), strings.Join(names[len(args):], " and "))
		case len(args) > len(names) && len(names) == 0:
			return usage(cmd.CommandPath()+" --help", "%s takes no arguments, and %q is one", cmd.CommandPath(), args[0])
		case len(args) > len(names):
			return usage(example(cmd), "%s takes only %s, and %q is too much", cmd.CommandPath(), strings.Join(names, " and "), args[len(names)])
		}
		return nil
	}
}

// example is the first example of a command, as a hint.
func example(cmd *cobra.Command) string {
	lines := strings.Split(strings.TrimSpace(cmd.Example), "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), programName) })
	if i < 0 {
		return cmd.CommandPath() + " --help"
	}
	return "for example: " + strings.TrimSpace(lines[i])
}
