package cli

import "github.com/spf13/cobra"

func (a *app) symbolsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "symbols QUERY",
		Short: "Print the symbols of the workspace whose name matches",
		Long: `Print the symbols of the workspace whose name matches: exact matches first, then
names that begin with QUERY, then those that hold it.`,
		Example: `  lspbridge symbols Budget
  lspbridge symbols --kind struct,interface --format json Client`,
		Args: takes("a QUERY"),
	}
	kinds := cmd.Flags().StringSlice("kind", nil, "only these `KINDS`: function, method, struct, ...")
	scope := choiceFlag(cmd, "scope", "workspace", "where to look: the workspace's own files, or all that the servers know", "workspace", "all")
	language := cmd.Flags().String("language", "", "ask only the server of `LANGUAGE`")
	start, answer, page := addStartFlags(cmd), addAnswerFlags(cmd, placeFormats...), addPageFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.ask(cmd.Context(), start, answer, func(*session) (query, error) {
			arguments := map[string]any{"query": args[0]}
			if len(*kinds) > 0 {
				arguments["kinds"] = *kinds
			}
			if cmd.Flags().Changed("scope") {
				arguments["scope"] = scope.value
			}
			if *language != "" {
				arguments["language"] = *language
			}
			page.put(arguments)
			return query{tool: "workspace_symbols", args: arguments}, nil
		})
	}
	return cmd
}
