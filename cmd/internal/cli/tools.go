package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lspbridge/cmd/internal/output"
	"lspbridge/tools"
)

func (a *app) toolsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Print the tools that an agent is offered",
		Long:  "Print the tools that an agent is offered; in json with their descriptions and schemas.",
		Example: `  lspbridge tools
  lspbridge tools --toolset full --format json`,
		Args: takes(),
	}
	format := choiceFlag(cmd, "format", string(output.Text), "form of the answer", string(output.Text), string(output.JSON))
	toolset := toolsetFlag(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		type tool struct {
			Name         string          `json:"name"`
			Title        string          `json:"title"`
			Description  string          `json:"description"`
			ReadOnly     bool            `json:"read_only"`
			InputSchema  json.RawMessage `json:"input_schema"`
			OutputSchema json.RawMessage `json:"output_schema"`
		}
		list := struct {
			Digest string `json:"digest"`
			Items  []tool `json:"items"`
		}{Digest: catalogueDigest()}
		for _, d := range tools.Toolset(toolset.value).Catalogue() {
			list.Items = append(list.Items, tool{d.Name, d.Title, d.Description, d.ReadOnly, d.InputSchema, d.OutputSchema})
		}
		return a.printReport(output.Format(format.value), list, func(w io.Writer) error {
			table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
			for _, t := range list.Items {
				// The writer keeps the first error for Flush.
				_, _ = fmt.Fprintf(table, "%s\t%s\n", t.Name, t.Title)
			}
			return table.Flush()
		})
	}
	return cmd
}
