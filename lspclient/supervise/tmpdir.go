package supervise

import (
	"io/fs"
	"os"
	"path/filepath"
)

// removeTmpDir removes a server's private folder. Build tools leave read-only
// folders behind, which have to be made writable before they can be emptied.
func removeTmpDir(dir string) {
	if dir == "" || os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // a folder that is removed next
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
