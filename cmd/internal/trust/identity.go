package trust

import (
	"errors"
	"os"
)

// An identity tells a folder from another that is put in its place. What the
// system does not tell is 0.
type identity struct {
	Inode  uint64 `json:"inode"`
	Device uint64 `json:"device"`
	Born   int64  `json:"born"` // nanoseconds since 1970
}

// same reports whether two identities are of one folder. An inode's number is
// given to a new folder soon after the old one is gone, but not with the same
// time of birth. The number of a device tells less, and for many file systems
// changes when the machine starts, so it counts only where no birth is known.
func (id identity) same(other identity) bool {
	if id.Born != 0 && other.Born != 0 {
		return id.Inode == other.Inode && id.Born == other.Born
	}
	return id == other
}

// identify returns the identity of the folder at a canonical path.
func identify(path string) (identity, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return identity{}, err
	}
	if !info.IsDir() {
		return identity{}, errors.New("it is not a folder")
	}
	return identityOf(path, info), nil
}
