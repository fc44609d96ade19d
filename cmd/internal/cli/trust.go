package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
	"lspbridge/cmd/internal/terminal"
	"lspbridge/tools"
)

func (a *app) trustCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust [DIR...]",
		Short: "Trust workspaces, or print or withdraw trust",
		Long: `Trust workspaces: allow their language servers to start. A language server may run
build tools and code of the workspace, so trust only what you would build. Without
DIR the current folder is trusted. Trust does not cover folders inside it that are
served by themselves, and ends when the folder is replaced by another.`,
		Example: `  lspbridge trust
  lspbridge trust ~/src/app
  lspbridge trust list
  lspbridge trust remove ~/src/app`,
		Args: cobra.ArbitraryArgs,
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		store, err := a.trustStore()
		if err != nil {
			return err
		}
		for _, dir := range orCurrent(args) {
			// Each is a workspace of its own; only what can be served is trusted.
			ws, err := a.openWorkspace([]string{dir}, nil)
			if err != nil {
				return err
			}
			root := ws.Roots()[0]
			err = store.Add(root)
			_ = ws.Close() // only a folder was opened, for reading
			if err != nil {
				return notKept(err)
			}
			a.note("trusted: " + root.Canonical)
		}
		return nil
	}
	cmd.AddCommand(a.trustListCommand(), a.trustRemoveCommand())
	return cmd
}

func (a *app) trustListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Print the trusted workspaces",
		Long:  "Print the trusted workspaces and since when they are trusted.",
		Example: `  lspbridge trust list
  lspbridge trust list --format json`,
		Args: takes(),
	}
	format := choiceFlag(cmd, "format", string(output.Text), "form of the answer", string(output.Text), string(output.JSON))
	cmd.RunE = func(*cobra.Command, []string) error {
		store, err := a.trustStore()
		if err != nil {
			return err
		}
		records, err := store.List()
		if err != nil {
			return notKept(err)
		}
		type trusted struct {
			Path  string    `json:"path"`
			Since time.Time `json:"since"`
		}
		list := struct {
			Items []trusted `json:"items"`
		}{Items: []trusted{}}
		for _, r := range records {
			list.Items = append(list.Items, trusted{r.Path, r.Time})
		}
		return a.printReport(output.Format(format.value), list, func(w io.Writer) error {
			for _, t := range list.Items {
				if _, err := fmt.Fprintf(w, "%s  %s\n", t.Since.UTC().Format(time.DateOnly), terminal.Line(t.Path)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return cmd
}

func (a *app) trustRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove [DIR...]",
		Short: "Withdraw trust from workspaces",
		Long: `Withdraw trust from workspaces, the current folder by default. A folder that is
gone is named as trust list prints it.`,
		Example: `  lspbridge trust remove
  lspbridge trust remove ~/src/app`,
		Args: cobra.ArbitraryArgs,
	}
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		store, err := a.trustStore()
		if err != nil {
			return err
		}
		for _, dir := range orCurrent(args) {
			full, err := a.abs(dir)
			if err != nil {
				return err
			}
			// The record names the canonical folder; a folder that is gone is
			// named as it was.
			if canonical, err := filepath.EvalSymlinks(full); err == nil {
				full = canonical
			}
			removed, err := store.Remove(full)
			if err != nil {
				return notKept(err)
			}
			if !removed {
				return failure(tools.ClassUsage, "not_trusted", "lspbridge trust list prints what is trusted", "%s was not trusted", dir)
			}
			a.note("not trusted any more: " + full)
		}
		return nil
	}
	return cmd
}

func orCurrent(dirs []string) []string {
	if len(dirs) == 0 {
		return []string{"."}
	}
	return dirs
}

// notKept is the error of a list that cannot be read or changed.
func notKept(err error) error {
	return failure(tools.ClassRefused, "trust_list", "", "%v", err)
}
