package lspclient

import (
	"path"
	"slices"
	"strings"

	"lspbridge/limits/confine"
)

// packageFolders are names that no wildcard of tsconfig.json stands for.
var packageFolders = []string{"node_modules", "bower_components", "jspm_packages"}

// takesIn reports whether an include pattern of tsconfig.json takes a file in, by
// the rules of TypeScript (src/compiler/utilities.ts, getSubPatternFromSpec): a
// pattern whose last element has no wildcard and no dot names a folder; another
// names files alone. No wildcard stands for a name that begins with a dot, for a
// folder of packages, or for the end ".min.js".
func takesIn(pattern, rel string) bool {
	elements := strings.Split(path.Clean(pattern), "/")
	if pattern == "." || pattern == "" {
		elements = nil
	}
	if len(elements) == 0 || !strings.ContainsAny(elements[len(elements)-1], ".*?") {
		elements = append(elements, "**", "*")
	}
	return takesElements(elements, strings.Split(rel, "/"))
}

// takesElements matches element by element, in a time that does not grow with the
// ways in which several "**" could share the names.
func takesElements(pattern, names []string) bool {
	reached := make([]bool, len(names)+1) // by how many names are taken
	reached[0] = true
	for _, p := range pattern {
		next := make([]bool, len(names)+1)
		for i := range names {
			if p == "**" {
				next[i] = next[i] || reached[i]
				// It stands for folders, never for the file.
				if next[i] && i < len(names)-1 && !strings.HasPrefix(names[i], ".") && !slices.Contains(packageFolders, names[i]) {
					next[i+1] = true
				}
			} else if reached[i] && takesName(p, names[i]) {
				next[i+1] = true
			}
		}
		reached = next
	}
	return reached[len(names)]
}

// takesName matches one element.
func takesName(pattern, name string) bool {
	if !strings.ContainsAny(pattern, "*?") {
		return pattern == name
	}
	if strings.IndexAny(pattern, "*?") == 0 && strings.HasPrefix(name, ".") || slices.Contains(packageFolders, name) {
		return false
	}
	if strings.HasSuffix(name, ".min.js") && !strings.HasSuffix(pattern, ".min.js") {
		return false
	}
	// Nothing else is special: not what path.Match knows of classes.
	pattern = strings.NewReplacer(`\`, `\\`, `[`, `\[`).Replace(pattern)
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// scriptEndings are the ends of names in families: of files that differ in
// nothing else TypeScript takes the first.
var scriptEndings = [][]string{{".ts", ".tsx", ".d.ts", ".js", ".jsx"}, {".mts", ".d.mts", ".mjs"}, {".cts", ".d.cts", ".cjs"}}

// behind returns those of files that another of the same folder, name and family
// goes before.
func behind(files []confine.File) map[confine.File]bool {
	type stem struct {
		file   confine.File
		family int
	}
	cut := func(f confine.File) (out stem, rank int) {
		rank = -1
		for family, ends := range scriptEndings {
			for i, end := range ends {
				// The longer of .ts and .d.ts comes later.
				if rel, ok := strings.CutSuffix(f.Rel, end); ok {
					out, rank = stem{confine.File{Root: f.Root, Rel: rel}, family}, i
				}
			}
		}
		return out, rank
	}
	first := map[stem]int{}
	for _, f := range files {
		s, rank := cut(f)
		if was, ok := first[s]; rank >= 0 && (!ok || rank < was) {
			first[s] = rank
		}
	}
	out := map[confine.File]bool{}
	for _, f := range files {
		if s, rank := cut(f); rank > first[s] {
			out[f] = true
		}
	}
	return out
}
