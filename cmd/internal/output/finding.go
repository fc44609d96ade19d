package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"lspbridge/limits"
)

// A finding is one thing that formats for code review tell: a diagnostic, or a
// file that formatting would change.
type finding struct {
	placed
	Severity string // as in diagnostics: error, warning, information, hint
	Source   string
	Code     string
	Message  string
	Related  []related
}

// A placed is what findings need of a location: lines from 1, columns from 1 in
// bytes, the end exclusive. Path is "" outside the workspace.
type placed struct {
	Path      string
	Line      int
	Column    int
	EndLine   int `json:"end_line"`
	EndColumn int `json:"end_column"`
	Text      string
}

// A related is a place that explains a finding.
type related struct {
	placed
	Message string
}

// findings lists what an answer of diagnostics, or the preview of a formatting,
// has to tell. outside counts places that have no path.
func findings(a *Answer) (list []finding, outside int, err error) {
	if a.items == nil {
		return nil, 0, errors.New("the answer has no diagnostics")
	}
	for _, raw := range a.items {
		var file struct {
			Path        string
			Diff        string
			Diagnostics *[]finding
		}
		if err := json.Unmarshal(raw, &file); err != nil {
			return nil, 0, fmt.Errorf("structured answer: %w", err)
		}
		switch {
		case file.Diagnostics != nil:
			for _, f := range *file.Diagnostics {
				if f.Path == "" {
					f.Path = file.Path
				}
				inside := f.Related[:0]
				for _, r := range f.Related {
					if r.Path == "" {
						outside++
					} else {
						inside = append(inside, r)
					}
				}
				f.Related = inside
				list = append(list, f)
			}
		case file.Diff != "":
			f := finding{Severity: "warning", Source: "format", Code: "unformatted", Message: "formatting would change this file"}
			f.Path = file.Path
			if lines := hunks(file.Diff); len(lines) > 0 {
				f.Line = lines[0]
			}
			list = append(list, f)
		case !a.files:
			return nil, 0, errors.New("the answer has no diagnostics")
		}
	}
	kept := list[:0]
	for _, f := range list {
		if f.Path == "" {
			outside++
			continue
		}
		kept = append(kept, f)
	}
	return kept, outside, nil
}

// rule names what kind of finding it is: "gopls/unusedparams", "clang/-Wunused".
func (f finding) rule() string {
	switch {
	case f.Source != "" && f.Code != "":
		return f.Source + "/" + f.Code
	case f.Source != "":
		return f.Source
	case f.Code != "":
		return f.Code
	}
	return "diagnostic"
}

// units returns the columns of a place in UTF-16 code units, from 1; 0 is one that
// cannot be known, since the text of its line is not there whole.
func (p placed) units() (column, end int) {
	column = units(p.Text, p.Column)
	if p.EndLine == p.Line || p.EndLine == 0 {
		end = units(p.Text, p.EndColumn)
	}
	return column, end
}

func units(line string, column int) int {
	if column < 1 || column > len(line)+1 || strings.HasPrefix(line, limits.Mark) {
		return 0
	}
	return len(utf16.Encode([]rune(line[:column-1]))) + 1
}

// outsideNotes says how many places were left out.
func outsideNotes(outside int) []string {
	if outside == 0 {
		return nil
	}
	return []string{plural(outside, "place") + " outside the workspace not shown"}
}
