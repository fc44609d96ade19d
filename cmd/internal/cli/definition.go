package cli

import "github.com/spf13/cobra"

func (a *app) definitionCommand() *cobra.Command {
	return a.targetCommand(definitionQuestion("definition", "definition",
		"Print where a name is defined",
		`  lspbridge definition limits/budget.go:10:6
  lspbridge definition --body limits.Default
  lspbridge definition src/main.cc:40:parse`))
}

func (a *app) declarationCommand() *cobra.Command {
	return a.targetCommand(definitionQuestion("declaration", "declaration",
		"Print where a name is declared",
		`  lspbridge declaration src/main.cc:40:parse
  lspbridge declaration --format json src/main.cc:40:12`))
}

func (a *app) typeCommand() *cobra.Command {
	return a.targetCommand(definitionQuestion("type", "type",
		"Print where the type of a name is defined",
		`  lspbridge type cmd/server.go:12:conn
  lspbridge type --format vimgrep cmd/server.go:12:9`))
}

func definitionQuestion(name, kind, short, example string) targetQuestion {
	return targetQuestion{
		name: name, short: short, long: short + ".", example: example,
		tool: "find_definition", args: map[string]any{"kind": kind},
		formats: placeFormats, paged: true,
		flags: func(cmd *cobra.Command) func(map[string]any) {
			body := cmd.Flags().Bool("body", false, "print the whole declaration, not only its line")
			return func(args map[string]any) {
				if *body {
					args["body"] = true
				}
			}
		},
	}
}
