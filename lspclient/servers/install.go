package servers

import "context"

// Install builds the pinned version of s with the user's own go into f.Cache,
// with the checksum database on, and returns it. progress gets one line at a
// time: what is done and how far it is. An installed program of the pinned
// version is returned as it is. Two installs at once take turns (file lock).
func (f Finder) Install(ctx context.Context, s Server, progress func(line string)) (Program, error) {
	panic("todo")
}
