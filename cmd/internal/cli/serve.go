package cli

import (
	"context"
	"sync"

	"github.com/spf13/cobra"

	"lspbridge/tools"
)

func (a *app) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer an agent over the Model Context Protocol on standard input and output",
		Long: `Answer an agent over the Model Context Protocol on standard input and output, until
the input ends. Standard output carries the protocol alone; the log goes to
standard error. In a workspace that is not trusted every call is refused with the
command that trusts it; once a person ran that, calls are answered.`,
		Example: `  lspbridge serve
  lspbridge serve --toolset full
  lspbridge serve --workspace ~/src/app --limit max_items=50`,
		Args: takes(),
	}
	start := addStartFlags(cmd)
	toolset := toolsetFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		start.toolset = tools.Toolset(toolset.value)
		return a.serve(cmd.Context(), start)
	}
	return cmd
}

func (a *app) serve(ctx context.Context, f *startFlags) error {
	budget, err := f.budget()
	if err != nil {
		return err
	}
	s, err := a.open(f, budget)
	if err != nil {
		return err
	}
	defer s.close()
	ctx, cancel := context.WithCancel(ctx)
	var installing sync.WaitGroup
	defer installing.Wait()
	defer cancel()
	if f.install {
		// A client waits for its first answer, so it is not kept waiting for a
		// build; until that is done calls say that the server is missing.
		installing.Go(func() {
			if err := a.installMissing(ctx, s, ""); err != nil && ctx.Err() == nil {
				a.note(err.Error())
			}
		})
	}
	return s.bridge.ServeStdio(ctx, a.env.Stdin, a.env.Stdout)
}
