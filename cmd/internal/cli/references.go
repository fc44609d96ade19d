package cli

import "github.com/spf13/cobra"

func (a *app) referencesCommand() *cobra.Command {
	return a.targetCommand(targetQuestion{
		name:  "references",
		short: "Print every use of a name",
		long:  "Print every use of a name in the workspace, its declaration included.",
		example: `  lspbridge references limits.Budget
  lspbridge references limits/budget.go:10:6 --format vimgrep
  lspbridge references --include-declaration=false --fail-if-empty Client.Close`,
		tool: "find_references", formats: placeFormats, paged: true,
		flags: func(cmd *cobra.Command) func(map[string]any) {
			flags := cmd.Flags()
			declaration := flags.Bool("include-declaration", true, "print the declaration too")
			context := flags.Int("context", 0, "print `N` lines around each place, 0 to 5")
			only := flags.String("path", "", "only files that match `GLOB`")
			noTests := flags.Bool("exclude-tests", false, "leave out test files")
			return func(args map[string]any) {
				if !*declaration {
					args["include_declaration"] = false
				}
				if *context != 0 {
					args["context_lines"] = *context
				}
				if *only != "" {
					args["path_glob"] = *only
				}
				if *noTests {
					args["exclude_tests"] = true
				}
			}
		},
	})
}
