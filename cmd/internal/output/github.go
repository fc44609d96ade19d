package output

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"lspbridge/cmd/internal/terminal"
	"lspbridge/lspclient"
	"lspbridge/tools"
)

// writeGitHub writes findings as the workflow commands that GitHub's runners read
// from standard output and show beside the lines of a change.
func writeGitHub(w io.Writer, a *Answer, style Style) ([]string, error) {
	list, outside, err := findings(a)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(w) // keeps the first error for Flush
	for _, f := range list {
		message := f.Message
		for _, r := range f.Related {
			message += fmt.Sprintf("\n%s:%d:%d: %s", r.Path, r.Line, r.Column, r.Message)
		}
		p := []string{"file=" + property(f.Path)}
		if f.Line > 0 {
			p = append(p, fmt.Sprintf("line=%d", f.Line))
			if f.EndLine > f.Line {
				p = append(p, fmt.Sprintf("endLine=%d", f.EndLine))
			}
			if column, end := f.units(); column > 0 {
				p = append(p, fmt.Sprintf("col=%d", column))
				if end > column {
					p = append(p, fmt.Sprintf("endColumn=%d", end))
				}
			}
		}
		p = append(p, "title="+property(f.rule()))
		command(out, annotation(f.Severity), p, message, style)
	}
	if a.State() != "" && a.State() != string(lspclient.Complete) {
		command(out, "warning", []string{"title=lspbridge"}, "the answer is "+a.State()+": "+strings.Join(a.Reasons(), "; "), style)
	}
	return outsideNotes(outside), out.Flush()
}

// writeGitHubError writes that a question got no answer.
func writeGitHubError(w io.Writer, e *tools.Error, style Style) error {
	out := bufio.NewWriter(w)
	command(out, "error", []string{"title=lspbridge"}, e.Text(), style)
	return out.Flush()
}

// annotation is the workflow command of a severity.
func annotation(severity string) string {
	switch severity {
	case "error", "warning":
		return severity
	}
	return "notice"
}

// command writes one workflow command. What it is about cannot start another: the
// runner takes a command from the start of a line alone, and no end of a line is
// left in it.
func command(w io.Writer, name string, properties []string, message string, style Style) {
	line := "::" + name + " " + strings.Join(properties, ",") + "::" + data(message)
	if style.Terminal {
		line = terminal.Line(line)
	}
	// The writer keeps the first error.
	_, _ = io.WriteString(w, line+"\n")
}

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string { return escapeData.Replace(s) }

func property(s string) string { return escapeProperty.Replace(s) }
