package confine

import "os"

// A Stamp tells one state of a file on disk from another without reading it. It
// is comparable. Times are in nanoseconds since 1970. CTime and Inode are 0
// where the system has none.
//
// Two equal stamps of a file whose MTime is younger than the tick of the file
// system's clock (some milliseconds) do not prove equal text: a second write
// within the tick leaves no trace in them.
type Stamp struct {
	Size         int64
	MTime, CTime int64
	Inode        uint64
	Mode         os.FileMode
}

// StampOf returns the stamp in info.
func StampOf(info os.FileInfo) Stamp {
	s := Stamp{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: info.Mode()}
	s.CTime, s.Inode = changeOf(info)
	return s
}
