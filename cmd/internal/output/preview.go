package output

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"lspbridge/cmd/internal/terminal"
)

// WriteDiffs writes the unified diffs of a preview and nothing else, so that
// patch can read them.
func WriteDiffs(w io.Writer, a *Answer, style Style) error {
	return eachFile(w, a, func(it item) string {
		diff := it.Diff
		if style.Terminal {
			diff = terminal.Sanitize(diff)
		}
		if style.Color {
			diff = colorDiff(diff)
		}
		if diff != "" && !strings.HasSuffix(diff, "\n") {
			diff += "\n"
		}
		return diff
	})
}

// WriteNames writes the path of each file that would change, one a line.
func WriteNames(w io.Writer, a *Answer, style Style) error {
	return eachFile(w, a, func(it item) string {
		if it.Diff == "" {
			return ""
		}
		if style.Terminal {
			return terminal.Line(it.Path) + "\n"
		}
		return it.Path + "\n"
	})
}

func eachFile(w io.Writer, a *Answer, render func(item) string) error {
	out := bufio.NewWriter(w)
	for _, raw := range a.items {
		var it item
		if err := json.Unmarshal(raw, &it); err != nil {
			return fmt.Errorf("structured answer: %w", err)
		}
		// The writer keeps the first error for Flush.
		_, _ = out.WriteString(render(it))
	}
	return out.Flush()
}
