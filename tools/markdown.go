package tools

import (
	"strings"

	"lspbridge/lspclient/textpos"
)

// stripLinks takes the targets of links and images out of Markdown and leaves
// their words: where documentation leads is not the code's to choose, and a
// client may fetch what it is shown. Code, fenced or between backticks, stays as
// it is.
func stripLinks(text string) string {
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]+" \r\n") == "" {
				fence = ""
			}
			out.WriteString(line)
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
			out.WriteString(line)
		default:
			stripLine(&out, line)
		}
	}
	return out.String()
}

// stripLine writes a line of prose without link targets.
func stripLine(out *strings.Builder, line string) {
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			out.WriteString(line[i : i+2])
			i += 2
		case c == '`':
			end := codeSpan(line, i)
			out.WriteString(line[i:end])
			i = end
		case c == '!' && strings.HasPrefix(line[i+1:], "["):
			words, end, _, ok := link(line, i+1)
			if !ok {
				out.WriteByte(c)
				i++
				continue
			}
			out.WriteString(words)
			i = end
		case c == '[':
			words, end, target, ok := link(line, i)
			if !ok || !leads(target) {
				out.WriteByte(c)
				i++
				continue
			}
			stripLine(out, words) // the words of a link may hold an image
			i = end
		case c == '<':
			end := strings.IndexByte(line[i:], '>')
			if end > 0 && !strings.ContainsAny(line[i:i+end], " \t") && textpos.Scheme(line[i+1:i+end]) == "file" {
				i += end + 1
				continue
			}
			out.WriteByte(c)
			i++
		default:
			out.WriteByte(c)
			i++
		}
	}
}

// codeSpan returns the end of the code span whose backticks begin at start, or
// of the backticks themselves when nothing closes them.
func codeSpan(line string, start int) int {
	n := len(line[start:]) - len(strings.TrimLeft(line[start:], "`"))
	ticks := line[start : start+n]
	for at := start + n; ; {
		i := strings.Index(line[at:], ticks)
		if i < 0 {
			return start + n
		}
		end := at + i + n
		if end == len(line) || line[end] != '`' {
			return end
		}
		at = len(line) - len(strings.TrimLeft(line[end:], "`")) // a longer run closes nothing
	}
}

// link reads [words](target) at start: brackets nest, and code spans inside
// count as one.
func link(line string, start int) (words string, end int, target string, ok bool) {
	closing := closer(line, start, '[', ']')
	if closing < 0 || closing+1 >= len(line) || line[closing+1] != '(' {
		return "", 0, "", false
	}
	after := closer(line, closing+1, '(', ')')
	if after < 0 {
		return "", 0, "", false
	}
	return line[start+1 : closing], after + 1, strings.Trim(line[closing+2:after], " <>"), true
}

// closer returns where the bracket at start is closed, -1 when it is not.
func closer(line string, start int, open, shut byte) int {
	depth := 0
	for i := start; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '`':
			i = codeSpan(line, i) - 1
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// leads reports whether the words in parentheses behind brackets are the target
// of a link, and not the arguments of a call: F[int](x).
func leads(target string) bool {
	return textpos.Scheme(target) != "" || strings.HasPrefix(target, "/") || strings.HasPrefix(target, "#") ||
		strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../") || strings.HasPrefix(target, "www.")
}
