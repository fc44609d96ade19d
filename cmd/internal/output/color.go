package output

import (
	"regexp"
	"strings"
)

// The colours: SGR of ECMA-48 §8.3.117.
const (
	bold  = "\x1b[1m"
	green = "\x1b[32m"
	red   = "\x1b[31m"
	cyan  = "\x1b[36m"
	reset = "\x1b[0m"
)

// place is the line and column at the start of a line of a text answer.
var place = regexp.MustCompile(`(?m)^( *)(\d+:\d+)( )`)

// colorPlaces marks the line and column of each place of a text answer.
func colorPlaces(text string) string {
	return place.ReplaceAllString(text, "${1}"+green+"${2}"+reset+"${3}")
}

// colorDiff marks the lines of a unified diff.
func colorDiff(diff string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		body, end := strings.CutSuffix(line, "\n")
		color := ""
		switch {
		case strings.HasPrefix(body, "---"), strings.HasPrefix(body, "+++"):
			color = bold
		case strings.HasPrefix(body, "@@"):
			color = cyan
		case strings.HasPrefix(body, "-"):
			color = red
		case strings.HasPrefix(body, "+"):
			color = green
		}
		if color != "" {
			body = color + body + reset
		}
		b.WriteString(body)
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
