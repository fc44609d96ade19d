package cli

import "github.com/spf13/cobra"

func (a *app) hoverCommand() *cobra.Command {
	return a.targetCommand(targetQuestion{
		name:  "hover",
		short: "Print the signature and the documentation of a name",
		long:  "Print the signature and the documentation of a name.",
		example: `  lspbridge hover limits.Default
  lspbridge hover src/main.cc:40:parse`,
		tool: "hover", formats: plainFormats,
	})
}
