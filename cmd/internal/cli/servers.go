package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
	"lspbridge/limits/confine"
	"lspbridge/lspclient/servers"
	"lspbridge/tools"
)

func (a *app) serversCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "servers",
		Short: "Print the language servers that are known and those that are installed",
		Long: `Print the language servers that are known, with the version and the origin of the
program that would be started, or why there is none.`,
		Example: `  lspbridge servers
  lspbridge servers --format json`,
		Args: takes(),
	}
	place := addPlaceFlags(cmd)
	format := choiceFlag(cmd, "format", string(output.Text), "form of the answer", string(output.Text), string(output.JSON))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		catalog, err := a.catalog(place, a.logger(place.logLevel.value))
		if err != nil {
			return err
		}
		found, err := findServers(cmd.Context(), a.finder(a.rootsIfAny(place)), catalog)
		if err != nil {
			return err
		}
		list := struct {
			Items []foundServer `json:"items"`
		}{found}
		return a.printReport(output.Format(format.value), list, func(w io.Writer) error { return writeServers(w, found) })
	}
	cmd.AddCommand(a.serversInstallCommand())
	return cmd
}

func (a *app) serversInstallCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "install NAME",
		Short: "Install a language server for lspbridge",
		Long: `Install the pinned version of a language server into lspbridge's own cache folder,
built with the go on PATH and checked against Go's checksum database. An installed
one is left as it is. What is done is said on standard error.`,
		Example: `  lspbridge servers install gopls`,
		Args:    takes("the NAME of a server"),
	}
	place := addPlaceFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		catalog, err := a.catalog(place, a.logger(place.logLevel.value))
		if err != nil {
			return err
		}
		var names []string
		for _, s := range catalog.Servers {
			if s.Name == args[0] {
				return a.installPinned(cmd.Context(), a.finder(a.rootsIfAny(place)), s)
			}
			names = append(names, s.Name)
		}
		return usage("the servers are: "+strings.Join(names, ", "), "no language server is called %q", args[0])
	}
	return cmd
}

func (a *app) installPinned(ctx context.Context, finder servers.Finder, s servers.Server) error {
	if s.Module == "" {
		return failure(tools.ClassServer, "not_installed", s.InstallHint, "lspbridge cannot install %s", s.Name)
	}
	p, err := finder.Install(ctx, s, a.note)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return failure(tools.ClassServer, "not_installed", s.InstallHint, "%v", err)
	}
	_, err = fmt.Fprintf(a.env.Stdout, "%s %s %s\n", s.Name, p.Version, p.Path)
	return wrapWrite(err)
}

// rootsIfAny are the roots of the workspace that no program is taken from; none
// where the flags name no workspace, as in the home folder.
func (a *app) rootsIfAny(f *placeFlags) []confine.Root {
	ws, err := a.openWorkspace(f.workspace, nil)
	if err != nil {
		return nil
	}
	defer ws.Close()
	return slices.Clone(ws.Roots())
}

// A foundServer is a language server of the catalog and its program.
type foundServer struct {
	Name       string           `json:"name"`
	Installed  bool             `json:"installed"`
	Version    string           `json:"version,omitempty"`
	Origin     string           `json:"origin,omitempty"`
	Path       string           `json:"path,omitempty"`
	Rejected   []string         `json:"rejected,omitempty"` // why programs found were not taken
	Hint       string           `json:"hint,omitempty"`     // how it is installed
	Executes   servers.Executes `json:"executes"`
	Extensions []string         `json:"extensions"`
}

// findServers looks every server of the catalog up.
func findServers(ctx context.Context, finder servers.Finder, catalog servers.Catalog) ([]foundServer, error) {
	list := []foundServer{}
	for _, s := range catalog.Servers {
		f := foundServer{Name: s.Name, Executes: s.Executes, Extensions: []string{}}
		for ext := range s.Extensions {
			f.Extensions = append(f.Extensions, ext)
		}
		slices.Sort(f.Extensions)
		entry, p, err := finder.FindAny(ctx, s)
		var missing *servers.NotFoundError
		switch {
		case err == nil:
			f.Installed, f.Version, f.Origin, f.Path, f.Executes = true, p.Version, p.Origin, p.Path, entry.Executes
		case errors.As(err, &missing):
			f.Rejected, f.Hint = missing.Rejected, missing.Hint
		default:
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func writeServers(w io.Writer, list []foundServer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range list {
		// The writer keeps the first error for Flush.
		if s.Installed {
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.Name, s.Version, s.Origin, s.Path)
			continue
		}
		_, _ = fmt.Fprintf(table, "%s\tmissing\t%s\n", s.Name, strings.Join(append(slices.Clone(s.Rejected), s.Hint), "; "))
	}
	return table.Flush()
}
