package cli

import "github.com/spf13/cobra"

func (a *app) outlineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "outline FILE",
		Short: "Print what a file declares",
		Long:  "Print what a file declares, in the order of its text.",
		Example: `  lspbridge outline limits/budget.go
  lspbridge outline --depth 1 --kind function,method src/main.cc`,
		Args: takes("a FILE"),
	}
	depth := cmd.Flags().Int("depth", 0, "how many `LEVELS` of nesting to print (default: all)")
	kinds := cmd.Flags().StringSlice("kind", nil, "only these `KINDS`: function, method, struct, ...")
	start, answer, page := addStartFlags(cmd), addAnswerFlags(cmd, placeFormats...), addPageFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.ask(cmd.Context(), start, answer, func(s *session) (query, error) {
			path, err := a.file(s.workspace, args[0])
			if err != nil {
				return query{}, err
			}
			arguments := map[string]any{"file": path}
			if cmd.Flags().Changed("depth") {
				arguments["depth"] = *depth
			}
			if len(*kinds) > 0 {
				arguments["kinds"] = *kinds
			}
			page.put(arguments)
			return query{tool: "document_symbols", args: arguments, file: path}, nil
		})
	}
	return cmd
}
