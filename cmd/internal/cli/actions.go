package cli

import (
	"regexp"
	"strconv"

	"github.com/spf13/cobra"
)

func (a *app) actionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "actions FILE[:RANGE]",
		Short: "Print what quick fixes and refactorings would change",
		Long: `Print the changes that a language server offers for a file or a RANGE of it, with
their unified diffs: quick fixes, organized imports, refactorings. No file is
written and no command of the server is run. A RANGE is LINE, LINE:COLUMN,
LINE-LINE or LINE:COLUMN-LINE:COLUMN; an end column is exclusive.`,
		Example: `  lspbridge actions limits/budget.go --only source.organizeImports
  lspbridge actions limits/budget.go:50:6
  lspbridge actions limits/budget.go:50-60 --only refactor --format json`,
		Args: takes("a FILE"),
	}
	only := cmd.Flags().StringArray("only", nil, "only actions of this `KIND` and those below it, as quickfix or refactor, repeatable")
	start, answer := addStartFlags(cmd), addAnswerFlags(cmd, plainFormats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		name, within, err := a.fileRange(args[0])
		if err != nil {
			return err
		}
		return a.ask(cmd.Context(), start, answer, func(s *session) (query, error) {
			path, err := a.file(s.workspace, name)
			if err != nil {
				return query{}, err
			}
			within["file"] = path
			if len(*only) > 0 {
				within["only"] = *only
			}
			return query{tool: "preview_code_actions", args: within, file: path}, nil
		})
	}
	return cmd
}

var rangeAtEnd = regexp.MustCompile(`^(.+?):(\d+)(?::(\d+))?(?:-(\d+)(?::(\d+))?)?$`)

// fileRange splits FILE[:RANGE]; a file whose whole name is there goes before one
// with a range.
func (a *app) fileRange(arg string) (name string, args map[string]any, err error) {
	args = map[string]any{}
	m := rangeAtEnd.FindStringSubmatch(arg)
	if m == nil || a.kind(arg) == pathFile {
		return arg, args, nil
	}
	for i, argument := range []string{"start_line", "start_column", "end_line", "end_column"} {
		text := m[i+2]
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return "", nil, usage("lines and columns count from 1", "%q is no line or column", text)
		}
		args[argument] = n
	}
	return m[1], args, nil
}
