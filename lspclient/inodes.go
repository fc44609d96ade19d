package lspclient

import (
	"time"

	"lspbridge/limits/confine"
)

// freshTime is the age below which servers do not trust a modification time
// (gopls: two seconds).
const freshTime = 2 * time.Second

// An inodes remembers, for each inode that a file had, what it was last seen as:
// a server that goes by inode and modification time remembers the text. File
// systems give the inode of a file that was replaced to the next new one.
type inodes map[uint64]sighting

type sighting struct {
	file  confine.File
	mtime int64
	size  int64
}

// add remembers the files of a sweep. It reports whether earlier ones had to be
// forgotten, since there were too many.
func (in inodes) add(seen map[confine.File]diskFile) (forgot bool) {
	if len(in) > 4*len(seen)+1024 {
		clear(in)
		forgot = true
	}
	for f, s := range seen {
		if s.stamp.Inode != 0 {
			in[s.stamp.Inode] = sighting{f, s.stamp.MTime, s.stamp.Size}
		}
	}
	return forgot
}

// veils reports whether the file f, which changed or is new, has inode and
// modification time of an earlier text. A name that moved to f, or one more name
// of the same file, has too, and the same text. seen is the state of the disk
// now; mu is held.
func (d *disk) veils(f confine.File, now confine.Stamp, seen map[confine.File]diskFile) bool {
	if d.now().UnixNano()-now.MTime < int64(freshTime) {
		return false
	}
	if last, listed := d.files[f]; listed && last.stamp.Inode == now.Inode && last.stamp.MTime == now.MTime {
		return true
	}
	was, known := d.inodes[now.Inode]
	if !known || was.mtime != now.MTime {
		return false
	}
	if was.file == f || was.size != now.Size {
		return true
	}
	last, listed := d.files[was.file]
	current, still := seen[was.file]
	moved := listed && last.stamp.Inode == now.Inode && !still
	linked := still && current.stamp.Inode == now.Inode
	return !moved && !linked
}
