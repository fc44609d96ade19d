package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
	"lspbridge/tools"
)

func (a *app) indexCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Wait until the language servers of the workspace are ready",
		Long: `Start the language servers of the workspace, wait until each has loaded and indexed
it, and print how far each came. clangd's index is kept, so that later questions,
also of other runs, find it; gopls fills Go's build cache.

The exit code is 0 when all are ready, 3 when one is not in time or cannot be whole,
4 when one is missing or failed.`,
		Example: `  lspbridge index --trust
  lspbridge index --trust --timeout 10m --format json`,
		Args: takes(),
	}
	start, wait := addStartFlags(cmd), addWaitFlags(cmd)
	format := choiceFlag(cmd, "format", string(output.Text), "form of the summary", string(output.Text), string(output.JSON))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.index(cmd.Context(), start, wait, output.Format(format.value))
	}
	return cmd
}

// index waits for the servers, prints how far they came, and returns the exit
// status: the highest of those of the servers.
func (a *app) index(ctx context.Context, start *startFlags, wait *waitFlags, format output.Format) error {
	budget, _, err := start.askBudget(wait.timeout)
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
	list, err := s.bridge.Ready(ctx, a.progressOf(wait))
	a.progress.Clear()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	summary := struct {
		Items []tools.ServerReady `json:"items"`
	}{list}
	if err := a.printReport(format, summary, func(w io.Writer) error { return writeReady(w, list) }); err != nil {
		return err
	}
	code := exitAnswered
	for _, r := range list {
		switch {
		case r.Err != nil:
			code = max(code, exitOf(r.Err.Class))
		case !r.Ready && !wait.allowPartial:
			code = max(code, exitIncomplete)
		}
	}
	if code != exitAnswered {
		return exitStatus(code)
	}
	return nil
}

// writeReady writes a line for each server.
func writeReady(w io.Writer, list []tools.ServerReady) error {
	var b strings.Builder
	for _, r := range list {
		b.WriteString(r.Server)
		if r.Version != "" {
			b.WriteString(" " + r.Version)
		}
		took := (time.Duration(r.TookMS) * time.Millisecond).Round(100 * time.Millisecond)
		switch {
		case r.Err != nil:
			b.WriteString(": " + r.Err.Message)
			if r.Err.Hint != "" {
				b.WriteString("; " + r.Err.Hint)
			}
		case r.Ready:
			fmt.Fprintf(&b, ": ready after %s", took)
		default:
			fmt.Fprintf(&b, ": %s after %s: %s", r.Completeness.State, took, strings.Join(r.Completeness.Reasons, "; "))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
