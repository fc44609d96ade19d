package tools

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
)

// flagUnchecked is the flag of a rename by a server that does not look for
// conflicts.
const flagUnchecked = "the server checks little: a conflict with a name that exists may not be noticed"

func renameTool() tool {
	return tool{
		name:  "preview_rename",
		title: "Preview renaming",
		desc:  "What renaming a symbol would change in every file, as unified diffs and file operations in order. Nothing is written.",
		params: slices.Concat(targetParams(), []param{
			{name: "new_name", typ: typeString, required: true, desc: "Identifier"},
			maxCharsParam(),
		}),
		output: previewSchema(),
		run:    previewRename,
	}
}

func previewRename(q *question) (reply, error) {
	name := q.args.str("new_name")
	switch {
	case strings.TrimSpace(name) == "":
		return reply{}, usagef("bad_name", "give the name that it is to have", "the argument new_name is empty")
	case utf8.RuneCountInString(name) > q.b.limits.QueryChars:
		return reply{}, usagef("bad_name", "give the name that it is to have", "the argument new_name is longer than %d characters (query_chars)", q.b.limits.QueryChars)
	case strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name):
		return reply{}, usagef("bad_name", "give the name that it is to have", "the argument new_name holds a control character")
	}
	s, err := q.resolve()
	if err != nil {
		return reply{}, err
	}
	found, err := q.b.pool.Rename(q.ctx, s.file, s.at.locate, name)
	if err != nil {
		return reply{}, s.failed(err)
	}
	q.server = found.Server
	c, err := q.change("rename of "+s.at.subject()+" to "+name, found.Steps)
	if err != nil {
		return reply{}, err
	}
	c.completeness = lspclient.Merge(found.Completeness, s.doubt)
	if found.Unchecked {
		c.flags = append(c.flags, flagUnchecked)
		left, err := q.stillNamed(s, found)
		if err != nil {
			return reply{}, err
		}
		if left != "" {
			old, _ := s.at.used()
			c.flags = append(c.flags, fmt.Sprintf("%q still stands in %s after it: macros, comments or other things of that name", old, left))
		}
	}
	return q.previewed(c)
}

// maxStillNamed bounds the files that a rename is said to leave a name in.
const maxStillNamed = 10

// stillNamed lists the files that hold the old name, as a whole word, more often
// than the rename changes it: clangd renames nothing inside a macro's body.
func (q *question) stillNamed(s subject, found lspclient.WorkspaceEdit) (string, error) {
	old, _ := s.at.used()
	files, err := q.b.pool.FilesHolding(q.ctx, found.Server, old, maxStillNamed*10)
	if err != nil {
		return "", err
	}
	changed := map[confine.File]int{}
	for _, step := range found.Steps {
		if step.Of.Inside {
			changed[step.Of.File] += step.Count
		}
	}
	var left []string
	for _, f := range files {
		m, err := q.read(f)
		if err != nil {
			continue // gone, or not to be read
		}
		if n := wordCount(m.Text(), old) - changed[f]; n > 0 {
			left = append(left, quotePath(q.b.ws.Shown(f)))
		}
	}
	if n := len(left) - maxStillNamed; n > 0 {
		left = append(left[:maxStillNamed], fmt.Sprintf("%d more files", n))
	}
	return strings.Join(left, ", "), nil
}

// wordCount counts the places where name stands as a whole word.
func wordCount(text []byte, name string) (n int) {
	part := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; name != ""; {
		i := bytes.Index(text[at:], []byte(name))
		if i < 0 {
			break
		}
		start, end := at+i, at+i+len(name)
		before, _ := utf8.DecodeLastRune(text[:start])
		after, _ := utf8.DecodeRune(text[end:])
		if !part(before) && !part(after) {
			n++
		}
		at = end
	}
	return n
}
