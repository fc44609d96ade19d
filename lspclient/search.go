package lspclient

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"lspbridge/limits/confine"
)

// searchedBytes bounds a file that is looked through, though too large to be
// opened or shown: servers know such files.
const searchedBytes = 64 << 20

// A Language is one server whose files the workspace has outside testdata
// folders, with the number of such files.
type Language struct {
	Server string
	Files  int
}

// Languages lists the servers that the workspace has files for, the one with the
// most files first.
func (p *Pool) Languages(ctx context.Context) ([]Language, error) {
	if _, err := p.disk.sync(ctx); err != nil {
		return nil, err
	}
	n := map[string]int{}
	p.disk.each(func(f confine.File) bool {
		if entry, _, ok := p.o.Catalog.For(path.Base(f.Rel)); ok && !inTestdata(f) {
			n[entry.Name]++
		}
		return true
	})
	var out []Language
	for _, name := range sortedKeys(n) {
		out = append(out, Language{name, n[name]})
	}
	slices.SortStableFunc(out, func(a, b Language) int { return b.Files - a.Files })
	return out, nil
}

// inTestdata reports whether a file is below a testdata or vendor folder: no
// sources of the workspace's own.
func inTestdata(f confine.File) bool {
	for dir := range strings.SplitSeq(path.Dir(f.Rel), "/") {
		if dir == "testdata" || dir == "vendor" {
			return true
		}
	}
	return false
}

// FilesHolding returns the files of a server that hold name as a whole word, at
// most max, sorted. It reads the disk, never a server.
func (p *Pool) FilesHolding(ctx context.Context, server, name string, max int) ([]confine.File, error) {
	if _, err := p.disk.sync(ctx); err != nil {
		return nil, err
	}
	return p.holding(ctx, name, max, func(f confine.File) bool {
		entry, _, ok := p.o.Catalog.For(path.Base(f.Rel))
		return ok && entry.Name == server && !inTestdata(f)
	})
}

// holding searches the known files that wanted accepts for name as a whole word.
// Excluded files are passed over: no place in them is ever part of an answer.
func (p *Pool) holding(ctx context.Context, name string, most int, wanted func(confine.File) bool) ([]confine.File, error) {
	var candidates, out []confine.File
	p.disk.each(func(f confine.File) bool {
		if wanted(f) {
			candidates = append(candidates, f)
		}
		return true
	})
	slices.SortFunc(candidates, compareFiles)
	for _, f := range candidates {
		if len(out) >= most {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, _, err := p.o.Workspace.Read(f, max(p.o.Limits.FileBytes, searchedBytes))
		if err == nil && holdsWord(text, []byte(name)) && !p.o.Workspace.Hidden(p.o.Workspace.Abs(f)) {
			out = append(out, f)
		}
	}
	return out, nil
}

// holdsWord reports whether text holds word as [indexWord] finds it.
func holdsWord(text, word []byte) bool { return indexWord(text, word) >= 0 }

// indexWord returns the offset of the first place where word stands in text with
// no letter, digit or underscore beside it, unless word itself ends in something
// else there; -1 if there is none.
func indexWord(text, word []byte) int {
	if len(word) == 0 {
		return -1
	}
	first, _ := utf8.DecodeRune(word)
	last, _ := utf8.DecodeLastRune(word)
	for from := 0; ; {
		i := bytes.Index(text[from:], word)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRune(text[:i])
		after, _ := utf8.DecodeRune(text[i+len(word):])
		if !(identifierRune(first) && identifierRune(before)) && !(identifierRune(last) && identifierRune(after)) {
			return i
		}
		_, n := utf8.DecodeRune(text[i:])
		from = i + n
	}
}
