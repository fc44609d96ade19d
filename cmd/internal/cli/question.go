package cli

import (
	"os"

	"github.com/spf13/cobra"
)

// A targetQuestion describes a command that asks about one target.
type targetQuestion struct {
	name    string
	short   string
	long    string
	example string
	tool    string
	args    map[string]any // fixed arguments of the tool
	formats []string
	paged   bool
	// flags adds flags of the command's own; put adds what they say to the
	// tool's arguments. nil for none.
	flags func(cmd *cobra.Command) (put func(args map[string]any))
}

func (a *app) targetCommand(q targetQuestion) *cobra.Command {
	cmd := &cobra.Command{
		Use:     q.name + " TARGET",
		Short:   q.short,
		Long:    q.long + "\n\n" + targetHelp,
		Example: q.example,
		Args:    takes("a TARGET"),
	}
	occurrence := cmd.Flags().Int("occurrence", 0, "the `N`th NAME, where it stands on the line more than once")
	puts := []func(map[string]any){func(args map[string]any) {
		if cmd.Flags().Changed("occurrence") {
			args["occurrence"] = *occurrence
		}
	}}
	if q.flags != nil {
		puts = append(puts, q.flags(cmd))
	}
	start, answer := addStartFlags(cmd), addAnswerFlags(cmd, q.formats...)
	if q.paged {
		puts = append(puts, addPageFlags(cmd).put)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := parseTarget(args[0], a.kind)
		if err != nil {
			return err
		}
		return a.ask(cmd.Context(), start, answer, func(s *session) (query, error) {
			path := ""
			if t.file != "" {
				if path, err = a.file(s.workspace, t.file); err != nil {
					return query{}, err
				}
			}
			arguments := t.arguments(path)
			for name, value := range q.args {
				arguments[name] = value
			}
			for _, put := range puts {
				put(arguments)
			}
			return query{tool: q.tool, args: arguments, file: path}, nil
		})
	}
	return cmd
}

// kind says what stands at a path that the user wrote.
func (a *app) kind(path string) pathKind {
	full, err := a.abs(path)
	if err != nil {
		return pathMissing
	}
	info, err := os.Lstat(full)
	switch {
	case err != nil:
		return pathMissing
	case info.Mode().IsRegular():
		return pathFile
	default:
		return pathOther
	}
}
