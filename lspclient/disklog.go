package lspclient

import (
	"slices"

	"lspbridge/limits/confine"
)

// A changeKind is a FileChangeType of LSP (3.17 §didChangeWatchedFiles).
type changeKind int

const (
	fileCreated changeKind = 1
	fileChanged changeKind = 2
	fileDeleted changeKind = 3
)

// A change is the net effect on one file since some moment.
type change struct {
	file confine.File
	kind changeKind
	// veiled says that inode and modification time are those of an earlier text,
	// of this file or of another: a server that goes by them does not see the
	// change.
	veiled bool
}

// A logged entry says that a file changed at seq; gone files stay logged.
type logged struct {
	seq  uint64
	file confine.File
	gone bool
}

// record appends to the log; mu is held. The log stays about as long as the list
// of files: entries that a later one replaces go first, then the oldest.
func (d *disk) record(f confine.File, gone bool) {
	d.log = append(d.log, logged{d.seq, f, gone})
	most := 2*len(d.files) + 1024
	if len(d.log) <= most {
		return
	}
	last := map[confine.File]int{}
	for i, e := range d.log {
		last[e.file] = i
	}
	kept := d.log[:0]
	for i, e := range d.log {
		if last[e.file] == i {
			kept = append(kept, e)
		}
	}
	if over := len(kept) - most/2; over > 0 {
		d.floor = kept[over-1].seq
		kept = slices.Delete(kept, 0, over)
	}
	d.log = kept
}

// since returns the net changes after seq, in the order of their last change; ok
// is false when they are not all remembered any more.
func (d *disk) since(seq uint64) (changes []change, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if seq < d.floor {
		return nil, false
	}
	last := map[confine.File]int{}
	start := len(d.log)
	for start > 0 && d.log[start-1].seq > seq {
		start--
		if _, ok := last[d.log[start].file]; !ok {
			last[d.log[start].file] = start
		}
	}
	var out []change
	for i := start; i < len(d.log); i++ {
		e := d.log[i]
		if last[e.file] != i {
			continue
		}
		switch {
		case e.gone:
			out = append(out, change{file: e.file, kind: fileDeleted})
		case d.files[e.file].born > seq:
			out = append(out, change{file: e.file, kind: fileCreated, veiled: d.files[e.file].veiled > seq})
		default:
			out = append(out, change{file: e.file, kind: fileChanged, veiled: d.files[e.file].veiled > seq})
		}
	}
	return out, true
}
