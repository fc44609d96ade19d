package cli

import (
	"crypto/sha256"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
	"lspbridge/tools"
)

func (a *app) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of lspbridge",
		Long: `Print the version of lspbridge, of Go and the system it was built for, and the
digest of its tool catalogue: two bridges with one digest offer the same tools,
described in the same words.`,
		Example: `  lspbridge version
  lspbridge version --format json`,
		Args: takes(),
	}
	format := choiceFlag(cmd, "format", string(output.Text), "form of the answer", string(output.Text), string(output.JSON))
	cmd.RunE = func(*cobra.Command, []string) error {
		v := struct {
			Version string `json:"version"`
			Go      string `json:"go"`
			System  string `json:"system"`
			Tools   string `json:"tools"`
		}{a.version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, catalogueDigest()}
		return a.printReport(output.Format(format.value), v, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "lspbridge %s %s %s\ntools %s\n", v.Version, v.Go, v.System, v.Tools)
			return err
		})
	}
	return cmd
}

// version is the version of the module that was built, "devel" for a working
// copy of it.
func (a *app) version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// catalogueDigest tells one tool catalogue from another.
func catalogueDigest() string {
	h := sha256.New()
	for _, d := range tools.Catalogue() {
		// A hash never fails.
		_, _ = fmt.Fprintf(h, "%q %q %q %q %q %v\n", d.Name, d.Title, d.Description, d.InputSchema, d.OutputSchema, d.ReadOnly)
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil)[:6])
}
