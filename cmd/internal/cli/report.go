package cli

import (
	"bytes"
	"io"

	"lspbridge/cmd/internal/output"
	"lspbridge/cmd/internal/terminal"
)

// printReport prints what a command found out by itself: v as an object in json,
// else what text writes.
func (a *app) printReport(format output.Format, v any, text func(io.Writer) error) error {
	if format == output.JSON {
		style := output.Style{Terminal: a.env.StdoutTerminal}
		return wrapWrite(output.WriteObject(a.env.Stdout, format, a.question, v, style))
	}
	var b bytes.Buffer
	if err := text(&b); err != nil {
		return err
	}
	out := b.String()
	if a.env.StdoutTerminal {
		out = terminal.Sanitize(out)
	}
	_, err := io.WriteString(a.env.Stdout, out)
	return wrapWrite(err)
}
