package servers

import (
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is the number of symbolic links after which a path counts as a loop.
const maxLinks = 40

// searchPath returns the folders of a search path that may be taken: absolute,
// there, none twice, and none that is one of avoid, below one, or reached by a
// symbolic link that stands in one.
func searchPath(path string, avoid []string) []string {
	avoided := statAll(avoid)
	var dirs []string
	var taken []os.FileInfo
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() || contains(taken, info) || touches(dir, avoided) {
			continue
		}
		dirs = append(dirs, dir) // not cleaned: ".." behind a link means the link's target
		taken = append(taken, info)
	}
	return dirs
}

func statAll(dirs []string) []os.FileInfo {
	var infos []os.FileInfo
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err == nil {
			infos = append(infos, info)
		}
	}
	return infos
}

func contains(infos []os.FileInfo, info os.FileInfo) bool {
	for _, other := range infos {
		if os.SameFile(other, info) {
			return true
		}
	}
	return false
}

// touches says whether the way to an absolute path, link by link, leads through
// one of the folders. Folders are compared by identity, since case, bind mounts
// and links give one folder many names. What cannot be followed counts as
// touching.
func touches(path string, avoided []os.FileInfo) bool {
	if len(avoided) == 0 {
		return false
	}
	volume := filepath.VolumeName(path)
	at := volume + string(filepath.Separator)
	rest := strings.TrimPrefix(path, volume)
	for links := 0; ; {
		info, err := os.Lstat(at)
		switch {
		case err != nil:
			return true
		case contains(avoided, info):
			return true
		case info.Mode()&os.ModeSymlink != 0:
			links++
			target, err := os.Readlink(at)
			if err != nil || links > maxLinks {
				return true
			}
			if !filepath.IsAbs(target) {
				// Not filepath.Join: ".." behind a link means the link's target.
				target = filepath.Dir(at) + string(filepath.Separator) + target
			}
			at = volume + string(filepath.Separator)
			rest = strings.TrimPrefix(target, volume) +
				string(filepath.Separator) + rest
			continue
		}
		var next string
		next, rest, _ = strings.Cut(strings.TrimLeft(rest, string(filepath.Separator)), string(filepath.Separator))
		switch next {
		case "":
			if rest == "" {
				return false
			}
		case ".":
		case "..":
			at = filepath.Dir(at)
		default:
			at = filepath.Join(at, next)
		}
	}
}
