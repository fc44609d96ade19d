package lspclient

import (
	"hash/maphash"
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
// modification time of an earlier text. A name that moved to f has too, and most
// often the same text; one more name of the same file has. seen is the state of the disk
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
	linked := still && current.stamp.Inode == now.Inode
	moved := listed && last.stamp.Inode == now.Inode && !still
	return !linked && !(moved && d.sameText(was.file, last.stamp, f))
}

// A textSum is the sum of the text that a file had in one state.
type textSum struct {
	stamp confine.Stamp
	sum   uint64
}

var sumSeed = maphash.MakeSeed()

// remember notes the text of a file, for when the file moves: neither its size
// nor its times tell whether it was changed then too.
func (d *disk) remember(f confine.File, stamp confine.Stamp, text []byte) {
	sum := maphash.Bytes(sumSeed, text)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sums[f] = textSum{stamp, sum}
}

// sameText reports whether a file is known to have the text that from had in an
// earlier state; mu is held.
func (d *disk) sameText(from confine.File, stamp confine.Stamp, f confine.File) bool {
	was, known := d.sums[from]
	if !known || was.stamp != stamp {
		return false
	}
	text, _, err := d.ws.Read(f, d.fileCap)
	return err == nil && maphash.Bytes(sumSeed, text) == was.sum
}
