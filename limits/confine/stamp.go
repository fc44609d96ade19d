package confine

import "os"

// A Stamp tells one state of a file on disk from another without reading it. It
// is comparable. Times are in nanoseconds since 1970. CTime and Inode are 0
// where the system has none.
type Stamp struct {
	Size         int64
	MTime, CTime int64
	Inode        uint64
	Mode         os.FileMode
}

// StampOf returns the stamp in info.
func StampOf(info os.FileInfo) Stamp {
	s := Stamp{Size: info.Size(), MTime: info.ModTime().UnixNano(), Mode: info.Mode()}
	s.CTime, s.Inode = systemStamp(info)
	return s
}
