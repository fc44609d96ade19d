package confine

import (
	"os"
	"syscall"
)

// changeOf returns the time of the last change of the inode, which no program
// can set back as it can the modification time, and the inode's number.
func changeOf(info os.FileInfo) (ctime int64, inode uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return st.Ctimespec.Nano(), st.Ino
}

// Names returns how many names the file of info has; 1 where that is not known.
func Names(info os.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}
