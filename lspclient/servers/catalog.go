package servers

import (
	"path/filepath"
	"slices"
	"strings"
)

// A Catalog is the set of known servers, in a fixed order: those of the user in
// the order of their file, then the built-in ones.
type Catalog struct {
	Servers []Server
	// Notes are lines for the log: keys of a servers.json that were ignored.
	Notes []string
}

// Server returns the server of a name.
func (c Catalog) Server(name string) (Server, bool) {
	i := c.index(name)
	if i < 0 {
		return Server{}, false
	}
	return c.Servers[i], true
}

// Names returns the names of all servers.
func (c Catalog) Names() []string {
	names := make([]string, len(c.Servers))
	for i, s := range c.Servers {
		names[i] = s.Name
	}
	return names
}

// For returns the server of a file name, by whole name or extension, and the
// language id. The first server that has it serves it. Of several extensions
// ("a.d.ts") the longest known one counts; upper and lower case are told apart
// first (".C" is C++) and taken as one when that finds nothing.
func (c Catalog) For(name string) (s Server, language string, ok bool) {
	base := filepath.Base(name)
	for _, s := range c.Servers {
		if language, ok := s.language(base); ok {
			return s, language, true
		}
	}
	lower := strings.ToLower(base)
	for _, s := range c.Servers {
		if language, ok := s.language(lower); ok {
			return s, language, true
		}
	}
	return Server{}, "", false
}

// language returns the language id of a file name without folders.
func (s Server) language(base string) (string, bool) {
	if language, ok := s.FileNames[base]; ok {
		return language, true
	}
	for i, r := range base {
		if r != '.' {
			continue
		}
		if language, ok := s.Extensions[base[i:]]; ok {
			return language, true
		}
	}
	return "", false
}

func (c Catalog) index(name string) int {
	return slices.IndexFunc(c.Servers, func(s Server) bool { return s.Name == name })
}

// clone returns a catalog whose servers and notes can be replaced without a
// change of c.
func (c Catalog) clone() Catalog {
	return Catalog{Servers: slices.Clone(c.Servers), Notes: slices.Clone(c.Notes)}
}
