package trust

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func identityOf(path string, info os.FileInfo) identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	id := identity{Inode: st.Ino, Device: uint64(st.Dev)} //nolint:unconvert // narrower on some processors
	var x unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME|unix.STATX_INO, &x)
	// An old kernel, or a file system without births, leaves it unknown.
	if err == nil && x.Mask&unix.STATX_BTIME != 0 && x.Ino == st.Ino {
		id.Born = x.Btime.Sec*1e9 + int64(x.Btime.Nsec)
	}
	return id
}
