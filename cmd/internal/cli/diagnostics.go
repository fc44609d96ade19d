package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
	"lspbridge/lspclient"
	"lspbridge/tools"
)

func (a *app) diagnosticsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diagnostics [FILE...]",
		Short: "Print errors and warnings",
		Long: `Print errors and warnings of files, or of all files of the workspace that its build
reads, for their text as it is on disk. A file is clean, has problems, or is
unknown; an answer with unknown files is not complete.`,
		Example: `  lspbridge diagnostics
  lspbridge diagnostics --severity error --fail-if-found --format sarif
  lspbridge diagnostics limits/budget.go limits/table.go`,
	}
	severity := choiceFlag(cmd, "severity", "hint", "the least that is printed", lspclient.Severities()...)
	source := cmd.Flags().String("source", "", "only problems that `NAME` found, as compiler or clang")
	start, answer := addStartFlags(cmd), addAnswerFlags(cmd, reviewFormats...)
	cursor := addPageFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		args := map[string]any{}
		if cmd.Flags().Changed("severity") {
			args["severity"] = severity.value
		}
		if *source != "" {
			args["source"] = *source
		}
		if len(files) > 1 {
			return a.diagnoseFiles(cmd.Context(), start, answer, args, files)
		}
		return a.ask(cmd.Context(), start, answer, func(s *session) (query, error) {
			path := ""
			if len(files) == 1 {
				var err error
				if path, err = a.file(s.workspace, files[0]); err != nil {
					return query{}, err
				}
				args["file"] = path
			}
			cursor.put(args)
			return query{tool: "diagnostics", args: args, file: path}, nil
		})
	}
	return cmd
}

// diagnoseFiles asks about each file and prints the answers as one; a file that
// got none does not hide the others.
func (a *app) diagnoseFiles(ctx context.Context, start *startFlags, answer *answerFlags, args map[string]any, files []string) error {
	budget, _, err := start.askBudget(answer.timeout)
	if err != nil {
		return err
	}
	s, err := a.open(start, budget)
	if err != nil {
		return err
	}
	defer s.close()
	var merged *output.Answer
	var asked []string
	var status exitStatus
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
		args["file"] = path
		one, err := a.call(ctx, s, answer, query{tool: "diagnostics", args: args}, true)
		var refused *tools.Error
		switch {
		case errors.As(err, &refused):
			a.complain(refused)
			status = max(status, exitStatus(exitOf(refused.Class)))
		case err != nil:
			return err
		case merged == nil:
			merged = one
		default:
			if err := merged.Join(one); err != nil {
				return err
			}
		}
	}
	if merged == nil {
		return status
	}
	delete(args, "file")
	args["files"] = asked
	if a.question.Arguments, err = json.Marshal(args); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	err = a.print(answer, merged)
	var printed exitStatus
	if status == 0 || err != nil && !errors.As(err, &printed) {
		return err
	}
	return cmp.Or(max(status, printed), status)
}
