package servers

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	searchDepth   = 3      // folders below a root
	searchFolders = 20_000 // looked at
	searchFound   = 64     // databases of one root
)

// FindCompileDatabases returns the compile databases of a root folder, absolute:
// its own first, then those of its folders to a depth of three (build folders
// and nested projects), nearer ones first and by name at one depth.
// node_modules, .git and links to folders are passed over. The error says where
// a large workspace made it stop; what was found till then is right.
func FindCompileDatabases(root string) ([]string, error) {
	var found []string
	looked := 0
	level := []string{root}
	for depth := 0; depth <= searchDepth && len(level) > 0; depth++ {
		var below []string
		for _, dir := range level {
			looked++
			if looked > searchFolders {
				return found, fmt.Errorf("more than %d folders: not all were searched for %s", searchFolders, databaseName)
			}
			entries, _ := os.ReadDir(dir) // sorted; a folder that cannot be read has none
			for _, e := range entries {
				path := filepath.Join(dir, e.Name())
				switch {
				case e.Name() == databaseName:
					info, err := os.Stat(path)
					if err != nil || !info.Mode().IsRegular() {
						continue
					}
					if len(found) == searchFound {
						return found, fmt.Errorf("more than %d files %s: the others are not read", searchFound, databaseName)
					}
					found = append(found, path)
				case e.IsDir() && e.Name() != "node_modules" && e.Name() != ".git" && depth < searchDepth:
					below = append(below, path)
				}
			}
		}
		level = below
	}
	return found, nil
}
