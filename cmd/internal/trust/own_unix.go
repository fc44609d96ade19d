//go:build unix

package trust

import (
	"fmt"
	"os"
	"syscall"
)

const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// own refuses what belongs to another user or can be written by others.
func own(path string, info os.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("the owner of %s is unknown", path)
	}
	if uid := os.Geteuid(); st.Uid != uint32(uid) {
		return fmt.Errorf("%s belongs to user %d, not to you (%d)", path, st.Uid, uid)
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("%s can be written by others (mode %#o); run chmod go-w on it after a look at what it holds", path, mode)
	}
	return nil
}
