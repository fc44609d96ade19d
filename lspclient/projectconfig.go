package lspclient

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/tailscale/hujson"

	"lspbridge/limits/confine"
)

// A projectConfig says which files below its folder are of one project, as
// tsconfig.json does; pyrightconfig.json does it alike.
type projectConfig struct {
	dir                     confine.File          // Rel "." for a root
	files, include, exclude []string              // relative to dir; patterns as in tsconfig.json
	listed                  bool                  // files or include stands in it
	scripts                 bool                  // JavaScript belongs to it too
	unread                  bool                  // its content is not known
	tight                   bool                  // patterns are those of tsconfig.json to the letter
	second                  map[confine.File]bool // files that another of their name goes before
}

// maxExtends bounds how far configurations are followed to those they extend.
const maxExtends = 5

// maxStars bounds the "**" of a pattern, whose ways to match multiply.
const maxStars = 4

// readProjectConfig reads a configuration, with what it takes from others in the
// workspace.
func readProjectConfig(ws *confine.Workspace, f confine.File, max int64) projectConfig {
	dir := confine.File{Root: f.Root, Rel: path.Dir(f.Rel)}
	c := projectConfig{dir: dir, scripts: path.Base(f.Rel) == "jsconfig.json"}
	excluded := false
	var outputs []string
	var allow, check *bool // what stands nearest counts
	for range maxExtends {
		text, _, err := ws.Read(f, max)
		if err != nil {
			c.unread = true
			return c
		}
		var said struct {
			Files, Include, Exclude *[]string
			Extends                 json.RawMessage
			CompilerOptions         struct {
				AllowJS, CheckJS       *bool
				OutDir, DeclarationDir string
			}
		}
		standard, err := hujson.Standardize(slices.Clone(text))
		if err == nil {
			err = json.Unmarshal(standard, &said)
		}
		if err != nil {
			c.unread = true
			return c
		}
		// What it says counts from its own folder.
		from := path.Dir(f.Rel)
		relative := func(patterns *[]string) []string {
			var out []string
			for _, p := range *patterns {
				if len(p) > maxPattern || alternatives(p) > maxAlternatives || strings.Count(p, "**") > maxStars {
					c.unread = true
					continue
				}
				full := path.Join(from, strings.ReplaceAll(p, "${configDir}", "."))
				if rel, err := filepath.Rel(filepath.FromSlash(dir.Rel), filepath.FromSlash(full)); err == nil {
					out = append(out, filepath.ToSlash(rel))
				}
			}
			return out
		}
		if !c.listed && (said.Files != nil || said.Include != nil) {
			c.listed = true
			if said.Files != nil {
				c.files = relative(said.Files)
			}
			if said.Include != nil {
				c.include = relative(said.Include)
			}
		}
		if !excluded && said.Exclude != nil {
			excluded, c.exclude = true, relative(said.Exclude)
		}
		if allow == nil {
			allow = said.CompilerOptions.AllowJS
		}
		if check == nil {
			check = said.CompilerOptions.CheckJS
		}
		for _, out := range []string{said.CompilerOptions.OutDir, said.CompilerOptions.DeclarationDir} {
			if out != "" {
				outputs = append(outputs, relative(&[]string{out})...)
			}
		}
		var base string
		if len(said.Extends) == 0 {
			break
		}
		if json.Unmarshal(said.Extends, &base) != nil {
			c.unread = true // several
			return c
		}
		if !strings.HasPrefix(base, ".") {
			break // of a package, which hardly ever lists files
		}
		if path.Ext(base) != ".json" {
			base += ".json"
		}
		f = confine.File{Root: f.Root, Rel: path.Join(from, base)}
	}
	if !excluded {
		c.exclude = outputs
	}
	switch {
	case allow != nil:
		c.scripts = *allow
	case check != nil:
		c.scripts = *check
	}
	return c
}

// holds reports whether the project has the file by what the configuration lists.
// That it is imported by another file is not looked at.
func (c projectConfig) holds(f confine.File) bool {
	rel, below := strings.CutPrefix(f.Rel, c.dir.Rel+"/")
	if c.dir.Rel == "." {
		rel, below = f.Rel, true
	}
	if c.unread || !below || f.Root != c.dir.Root {
		return false
	}
	if slices.Contains(c.files, rel) {
		return true
	}
	switch path.Ext(rel) {
	case ".js", ".jsx", ".mjs", ".cjs":
		if !c.scripts {
			return false
		}
	}
	if c.second[f] || slices.ContainsFunc(c.exclude, func(pattern string) bool { return matchesPattern(pattern, rel) }) {
		return false
	}
	include := c.include
	if !c.listed {
		include = []string{"."}
	}
	return slices.ContainsFunc(include, func(pattern string) bool {
		return matchesPattern(pattern, rel) && (!c.tight || takesIn(pattern, rel))
	})
}

// matchesPattern reports whether a pattern takes a file in, or a folder above it.
func matchesPattern(pattern, rel string) bool {
	if pattern == "." || pattern == "" {
		return true
	}
	for _, p := range []string{pattern, pattern + "/**"} {
		if ok, err := doublestar.Match(p, rel); err == nil && ok {
			return true
		}
	}
	return false
}
