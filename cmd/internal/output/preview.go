package output

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"lspbridge/cmd/internal/terminal"
	"lspbridge/lspclient"
	"lspbridge/tools"
)

// A FileError is a file of several that got no preview.
type FileError struct {
	File string `json:"file"`
	*tools.Error
}

// completeness is that of a structured answer.
type completeness struct {
	State      string   `json:"state"`
	Reasons    []string `json:"reasons"`
	WaitedMS   int64    `json:"waited_ms"`
	Generation int      `json:"generation"`
}

// MergePreviews returns the previews of several files as one answer, which is as
// complete as the least complete of them, and waited for as long as all of them.
// It has no digest: each file is a change of its own.
func MergePreviews(list []*Answer, failed []FileError) (*Answer, error) {
	merged := struct {
		Files        []json.RawMessage `json:"files"`
		Operations   []json.RawMessage `json:"operations"`
		NothingToDo  bool              `json:"nothing_to_do"`
		Completeness completeness      `json:"completeness"`
		Errors       []FileError       `json:"errors,omitempty"`
	}{
		Files: []json.RawMessage{}, Operations: []json.RawMessage{}, NothingToDo: len(failed) == 0, Errors: failed,
		Completeness: completeness{State: string(lspclient.Complete), Reasons: []string{}},
	}
	whole := &merged.Completeness
	for _, a := range list {
		merged.Files = append(merged.Files, a.items...)
		merged.NothingToDo = merged.NothingToDo && a.found == 0
		*whole = whole.merge(a.whole)
	}
	data, err := encode(merged)
	if err != nil {
		return nil, err
	}
	return NewAnswer(tools.Result{Structured: data})
}

// merge is the completeness of two answers that were waited for one after the
// other: the worse state, and all reasons.
func (c completeness) merge(other completeness) completeness {
	c.Reasons = append(slices.Clone(c.Reasons), other.Reasons...)
	slices.Sort(c.Reasons)
	c.Reasons = slices.Compact(c.Reasons)
	c.WaitedMS += other.WaitedMS
	c.Generation = max(c.Generation, other.Generation)
	if slices.Index(states, other.State) > slices.Index(states, c.State) {
		c.State = other.State
	}
	return c
}

// states are the states of completeness from best to worst.
var states = []string{string(lspclient.Complete), string(lspclient.Partial), string(lspclient.Unknown)}

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
