package cli

import "github.com/spf13/cobra"

func (a *app) contextCommand() *cobra.Command {
	return a.targetCommand(targetQuestion{
		name:  "context",
		short: "Print what there is to know about a name",
		long: `Print what there is to know about a name in one answer: its definition, its
documentation, where it is used, who calls it, what it calls, what implements it.`,
		example: `  lspbridge context limits.Budget
  lspbridge context --include definition --include callers limits.Default`,
		tool: "symbol_context", formats: plainFormats,
		flags: func(cmd *cobra.Command) func(map[string]any) {
			include := cmd.Flags().StringArray("include", nil, "only this `PART`, repeatable: definition, documentation, references, callers, callees, implementations")
			return func(args map[string]any) {
				if len(*include) > 0 {
					args["include"] = *include
				}
			}
		},
	})
}
