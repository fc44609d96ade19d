package output

import (
	"fmt"
	"io"
	"strings"

	"lspbridge/cmd/internal/terminal"
)

// Write renders a in format f. The notes are lines for stderr: what the format
// has no room for.
func Write(w io.Writer, f Format, q Question, a *Answer, style Style) (notes []string, err error) {
	switch f {
	case Text:
		return nil, writeText(w, a, style)
	case Vimgrep:
		return writeVimgrep(w, a, style)
	case JSON:
		return nil, writeJSON(w, q, a, style)
	case JSONL:
		return nil, writeJSONL(w, q, a, style)
	case SARIF:
		return writeSARIF(w, a, style)
	case GitHub:
		return writeGitHub(w, a, style)
	default:
		return nil, fmt.Errorf("unknown format %q", f)
	}
}

// writeText writes the tool's own text and ends it with a newline.
func writeText(w io.Writer, a *Answer, style Style) error {
	text := strings.TrimRight(a.text, "\n")
	if style.Terminal {
		text = terminal.Sanitize(text)
	}
	if style.Color {
		text = colorPlaces(text)
	}
	_, err := io.WriteString(w, text+"\n")
	return err
}
