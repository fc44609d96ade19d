package lspclient

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"sync"

	"lspbridge/limits/confine"
)

// includes knows which files of the workspace include which, by the last
// element of the included name: coarse, but never short. It reads a file again
// only when its stamp changed.
type includes struct {
	ws      *confine.Workspace
	fileCap int64
	wants   func(name string) bool // files of languages with includes

	mu    sync.Mutex
	seq   uint64 // of the disk state that files is of
	files map[confine.File]includer
	news  []string // names included by what was read since they were last taken
}

type includer struct {
	stamp confine.Stamp
	seq   uint64   // of its last change: the stamp of a young file may stay the same
	names []string // base names it includes
	words []uint32 // sums of its conditional words, sorted
}

// users returns the files that include one of roots, directly or through others.
func (in *includes) users(ctx context.Context, d *disk, roots []confine.File) []confine.File {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.update(ctx, d)
	by := map[string][]confine.File{}
	for f, i := range in.files {
		for _, n := range i.names {
			by[n] = append(by[n], f)
		}
	}
	seen := map[confine.File]bool{}
	queue := slices.Clone(roots)
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		for _, user := range by[path.Base(f.Rel)] {
			if !seen[user] {
				seen[user] = true
				queue = append(queue, user)
			}
		}
	}
	out := make([]confine.File, 0, len(seen))
	for f := range seen {
		out = append(out, f)
	}
	slices.SortFunc(out, compareFiles)
	return out
}

// reached returns the base names of the files that those of from include,
// directly or through others.
func (in *includes) reached(ctx context.Context, d *disk, from func(confine.File) bool) map[string]bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.update(ctx, d)
	byName := map[string][]confine.File{}
	var queue []confine.File
	for f := range in.files {
		byName[path.Base(f.Rel)] = append(byName[path.Base(f.Rel)], f)
		if from(f) {
			queue = append(queue, f)
		}
	}
	names := map[string]bool{}
	for len(queue) > 0 {
		f := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, name := range in.files[f].names {
			if !names[name] {
				names[name] = true
				queue = append(queue, byName[name]...)
			}
		}
	}
	return names
}

// conditional returns the files in which name may stand in a branch that the
// preprocessor leaves out.
func (in *includes) conditional(ctx context.Context, d *disk, name string) []confine.File {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.update(ctx, d)
	sum := wordSum([]byte(name))
	var out []confine.File
	for f, i := range in.files {
		if _, ok := slices.BinarySearch(i.words, sum); ok {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, compareFiles)
	return out
}

// newNames returns the base names that files read since the last call include.
func (in *includes) newNames(ctx context.Context, d *disk) []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.update(ctx, d)
	names := in.news
	in.news = nil
	return names
}

// update reads what changed since the last time; mu is held.
func (in *includes) update(ctx context.Context, d *disk) {
	type known struct {
		file  confine.File
		stamp confine.Stamp
		seq   uint64
	}
	var now []known
	d.mu.Lock()
	seq := d.seq
	if in.seq == seq && seq > 0 {
		d.mu.Unlock()
		return
	}
	for f, s := range d.files {
		if name := path.Base(f.Rel); in.wants(name) || d.named[name] {
			now = append(now, known{f, s.stamp, s.changed})
		}
	}
	d.mu.Unlock()
	next := make(map[confine.File]includer, len(now))
	for _, k := range now {
		old, ok := in.files[k.file]
		if ok && old.stamp == k.stamp && old.seq == k.seq || ctx.Err() != nil {
			next[k.file] = old
			continue
		}
		text, stamp, err := in.ws.Read(k.file, in.fileCap)
		if err != nil {
			continue
		}
		next[k.file] = includer{stamp, k.seq, includedNames(text), conditionalSums(text)}
		in.news = append(in.news, next[k.file].names...)
	}
	in.files = next
	if ctx.Err() == nil {
		in.seq = seq
	}
}

// includedNames returns the last elements of the names in the #include, #import
// and #include_next lines of text.
func includedNames(text []byte) []string {
	var names []string
	for line := range bytes.Lines(text) {
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
		if !ok {
			continue
		}
		rest = bytes.TrimLeft(rest, " \t")
		word := rest
		if i := bytes.IndexAny(rest, " \t\"<"); i >= 0 {
			word, rest = rest[:i], bytes.TrimLeft(rest[i:], " \t")
		}
		switch string(word) {
		case "include", "import", "include_next":
		default:
			continue
		}
		if len(rest) == 0 || rest[0] != '"' && rest[0] != '<' {
			continue
		}
		closing := byte('"')
		if rest[0] == '<' {
			closing = '>'
		}
		if end := bytes.IndexByte(rest[1:], closing); end >= 0 {
			names = append(names, path.Base(string(rest[1:1+end])))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func compareFiles(a, b confine.File) int {
	return cmp.Or(cmp.Compare(a.Root, b.Root), cmp.Compare(a.Rel, b.Rel))
}
