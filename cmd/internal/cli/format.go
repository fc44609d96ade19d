package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
	"lspbridge/tools"
)

func (a *app) formatCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "format FILE...",
		Short: "Print what formatting would change",
		Long:  "Print what formatting would change in files, as unified diffs. No file is written.",
		Example: `  lspbridge format limits/budget.go
  lspbridge format -l --check src/main.cc src/parse.cc`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(example(cmd), "%s needs a FILE", cmd.CommandPath())
			}
			return nil
		},
	}
	// The diff is the default; the flag is there to say so in scripts.
	cmd.Flags().BoolP("diff", "d", false, "print unified diffs (the default)")
	list := cmd.Flags().BoolP("list", "l", false, "print only the names of files that would change")
	check := cmd.Flags().Bool("check", false, "exit 1 if a file would change")
	cmd.MarkFlagsMutuallyExclusive("diff", "list")
	start, answer := addStartFlags(cmd), addAnswerFlags(cmd, reviewFormats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		answer.failIfFound = answer.failIfFound || *check
		return a.format(cmd.Context(), start, answer, *list, args)
	}
	return cmd
}

// format previews every file and prints the previews; one that failed does not
// hide the others.
func (a *app) format(ctx context.Context, start *startFlags, answer *answerFlags, list bool, files []string) error {
	budget, _, err := start.askBudget(answer.timeout)
	if err != nil {
		return err
	}
	s, err := a.open(start, budget)
	if err != nil {
		return err
	}
	defer s.close()
	var asked []string
	var previews []*output.Answer
	var failed []output.FileError
	for _, name := range files {
		path, err := a.file(s.workspace, name)
		if err != nil {
			return err
		}
		asked = append(asked, path)
		if start.install {
			if err := a.installMissing(ctx, s, path); err != nil {
				return err
			}
		}
		preview, err := a.call(ctx, s, answer, query{tool: "preview_format", args: map[string]any{"file": path}}, true)
		var refused *tools.Error
		switch {
		case err == nil:
			previews = append(previews, preview)
		case len(files) > 1 && errors.As(err, &refused):
			a.complain(refused)
			failed = append(failed, output.FileError{File: path, Error: refused})
		default:
			return err
		}
	}
	if len(files) == 1 {
		return a.printPreview(answer, list, previews[0], nil)
	}
	merged, err := output.MergePreviews(previews, failed)
	if err != nil {
		return err
	}
	if a.question.Arguments, err = json.Marshal(map[string][]string{"files": asked}); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	return a.printPreview(answer, list, merged, failed)
}

// printPreview prints diffs or names, or the preview in a machine's format, and
// returns the exit status: the highest of those of its files.
func (a *app) printPreview(f *answerFlags, list bool, preview *output.Answer, failed []output.FileError) error {
	var err error
	if f.outputFormat() != output.Text {
		err = a.print(f, preview)
	} else {
		write := output.WriteDiffs
		if list {
			write = output.WriteNames
		}
		err = cmp.Or(wrapWrite(write(a.env.Stdout, preview, a.style(f.color.value))), f.status(preview))
		a.doubt(f, preview)
	}
	var status exitStatus
	if len(failed) == 0 || err != nil && !errors.As(err, &status) {
		return err
	}
	for _, e := range failed {
		status = max(status, exitStatus(exitOf(e.Class)))
	}
	return status
}

func wrapWrite(err error) error {
	if err == nil {
		return nil
	}
	return unwritten(err)
}
