package cli

import "github.com/spf13/cobra"

func (a *app) callersCommand() *cobra.Command {
	return a.hierarchyCommand("callers", "call_hierarchy", "incoming",
		"Print who calls a function", "Print who calls a function, and who calls those, as a tree with call sites.", "limits.Default")
}

func (a *app) calleesCommand() *cobra.Command {
	return a.hierarchyCommand("callees", "call_hierarchy", "outgoing",
		"Print what a function calls", "Print what a function calls, and what those call, as a tree with call sites.", "limits.Default")
}

func (a *app) supertypesCommand() *cobra.Command {
	return a.hierarchyCommand("supertypes", "type_hierarchy", "supertypes",
		"Print what a type derives from", "Print the bases of a type, or the interfaces that it implements, and theirs, as a tree.", "limits.Budget")
}

func (a *app) subtypesCommand() *cobra.Command {
	return a.hierarchyCommand("subtypes", "type_hierarchy", "subtypes",
		"Print what derives from a type", "Print what derives from a type, or implements it, and what derives from that, as a tree.", "tools.Servers")
}

// hierarchyCommand is a command that prints a graph. target is for the example.
func (a *app) hierarchyCommand(name, tool, direction, short, long, target string) *cobra.Command {
	return a.targetCommand(targetQuestion{
		name: name, short: short, long: long,
		example: "  lspbridge " + name + " " + target + "\n  lspbridge " + name + " --depth 1 --format json " + target,
		tool:    tool, args: map[string]any{"direction": direction}, formats: placeFormats,
		flags: func(cmd *cobra.Command) func(map[string]any) {
			depth := cmd.Flags().Int("depth", 0, "follow `N` levels, 1 to 5 (default 3)")
			return func(args map[string]any) {
				if cmd.Flags().Changed("depth") {
					args["depth"] = *depth
				}
			}
		},
	})
}
