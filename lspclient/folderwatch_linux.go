package lspclient

import (
	"fmt"
	"syscall"
)

// watchesFolders says that this system tells of changes in folders reliably and
// in order.
const watchesFolders = true

// localKinds are the file systems (statfs(2)) on which every change goes through
// this kernel, so that its events tell all of them.
var localKinds = map[int64]bool{
	0xEF53:     true, // ext2, ext3, ext4
	0x58465342: true, // xfs
	0x9123683E: true, // btrfs
	0x01021994: true, // tmpfs
	0x858458F6: true, // ramfs
	0x794C7630: true, // overlay
	0x2FC12FC1: true, // zfs
	0xF2F52010: true, // f2fs
	0xCA451A4E: true, // bcachefs
	0x52654973: true, // reiserfs
	0x3153464A: true, // jfs
}

// localFolder returns an error for a folder whose file system may change without
// this kernel's doing. A folder that is gone is none of its business.
func localFolder(dir string) error {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) == nil && !localKinds[int64(st.Type)] {
		return fmt.Errorf("a file system of type %#x is not known to be local", uint32(st.Type))
	}
	return nil
}
