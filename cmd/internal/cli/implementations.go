package cli

import "github.com/spf13/cobra"

func (a *app) implementationsCommand() *cobra.Command {
	return a.targetCommand(targetQuestion{
		name:  "implementations",
		short: "Print the implementations of an interface, a type or a method",
		long: `Print the implementations of an interface or of its method; for a type or its
method, the interfaces that it implements.`,
		example: `  lspbridge implementations io.Reader
  lspbridge implementations --format vimgrep store/store.go:12:Store`,
		tool: "find_implementations", formats: placeFormats, paged: true,
	})
}
