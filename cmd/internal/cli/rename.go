package cli

import (
	"context"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
)

func (a *app) renameCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rename TARGET NEWNAME",
		Short: "Print what a new name would change",
		Long: `Print what renaming would change, in all files, as unified diffs with the file
operations that go with it. No file is written; git apply takes what --diff prints,
where no file operation is needed.

` + targetHelp,
		Example: `  lspbridge rename limits.Budget Bounds
  lspbridge rename limits/budget.go:12:6 Bounds --diff`,
		Args: takes("a TARGET", "a NEWNAME"),
	}
	occurrence := cmd.Flags().Int("occurrence", 0, "the `N`th NAME, where it stands on the line more than once")
	only := addDiffFlags(cmd)
	start, answer := addStartFlags(cmd), addAnswerFlags(cmd, plainFormats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := parseTarget(args[0], a.kind)
		if err != nil {
			return err
		}
		return a.preview(cmd.Context(), start, answer, only, func(s *session) (query, error) {
			path := ""
			if t.file != "" {
				if path, err = a.file(s.workspace, t.file); err != nil {
					return query{}, err
				}
			}
			arguments := t.arguments(path)
			arguments["new_name"] = args[1]
			if cmd.Flags().Changed("occurrence") {
				arguments["occurrence"] = *occurrence
			}
			return query{tool: "preview_rename", args: arguments, file: path}, nil
		})
	}
	return cmd
}

// diffFlags choose what of a preview is printed in the text format.
type diffFlags struct{ diff, list bool }

func addDiffFlags(cmd *cobra.Command) *diffFlags {
	f := &diffFlags{}
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print the unified diffs alone")
	cmd.Flags().BoolVarP(&f.list, "list", "l", false, "print only the names of files that would change")
	cmd.MarkFlagsMutuallyExclusive("diff", "list")
	return f
}

// preview asks for a preview and prints it, or its diffs or names alone.
func (a *app) preview(ctx context.Context, start *startFlags, answer *answerFlags, only *diffFlags, makeQuery func(*session) (query, error)) error {
	if answer.outputFormat() != output.Text || !only.diff && !only.list {
		return a.ask(ctx, start, answer, makeQuery)
	}
	found, err := a.answer(ctx, start, answer, makeQuery)
	if err != nil {
		return err
	}
	return a.printPreview(answer, only.list, found, nil)
}
