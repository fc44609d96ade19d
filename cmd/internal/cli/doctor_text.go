package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// write prints a diagnosis for a person: what keeps the workspace from being
// served last, where the eye ends.
func (d *diagnosis) write(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(cells ...string) {
		// The writer keeps the first error for Flush.
		_, _ = fmt.Fprintln(table, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
	row("lspbridge", d.Version+" "+d.System)
	row("go", orNone(strings.TrimSpace(d.Go.Version+" "+d.Go.Path)))
	for _, r := range d.Roots {
		label := "workspace"
		if len(d.Roots) > 1 {
			label += " " + r.Name
		}
		path := r.Path
		if r.Canonical != r.Path {
			path += " (" + r.Canonical + ")"
		}
		row(label, path)
		row("compile databases", orNone(strings.Join(r.CompileDatabases, ", ")))
	}
	row("trusted", map[bool]string{true: "yes", false: "no"}[d.Trusted])
	for _, l := range d.Languages {
		row("files for "+l.Server, fmt.Sprint(l.Files))
	}
	row()
	row("SERVER", "VERSION", "ORIGIN", "RUNS OF A WORKSPACE", "PROGRAM")
	for _, s := range d.Servers {
		if s.Installed {
			row(s.Name, s.Version, s.Origin, string(s.Executes), s.Path)
		} else {
			row(s.Name, "missing", "-", string(s.Executes), strings.Join(s.Rejected, "; "))
		}
	}
	row()
	row("LIMIT", "VALUE", "DEFAULT", "MAXIMUM")
	for _, l := range d.Limits {
		row(l.Name, l.Value, l.Default, l.Maximum)
	}
	row()
	for _, f := range d.Files {
		row("keeps files in", f)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteByte('\n')
	for _, n := range d.Notes {
		b.WriteString("note: " + n + "\n")
	}
	for _, p := range d.Problems {
		b.WriteString("problem: " + p.Message + "\n")
		if p.Hint != "" {
			b.WriteString("  " + p.Hint + "\n")
		}
	}
	if len(d.Problems) == 0 {
		b.WriteString("the workspace can be served\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
