package tools

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	}
	return q.previewed(c)
}
