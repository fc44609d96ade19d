package trust

import (
	"os"
	"syscall"
)

func identityOf(_ string, info os.FileInfo) identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{Inode: st.Ino, Device: uint64(st.Dev), Born: st.Birthtimespec.Nano()}
}
