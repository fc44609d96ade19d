package supervise

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// Memory returns the bytes of memory that the server and all its descendants have
// resident, 0 once they are gone. What they share counts for each.
func (p *Process) Memory() int64 {
	children := map[int][]int{}
	for pid := range processes {
		parent := parentOf(pid)
		children[parent] = append(children[parent], pid)
	}
	var total int64
	// The helper adopts what its descendants leave behind.
	for queue := children[p.helper.Pid]; len(queue) > 0; queue = queue[1:] {
		total += resident(queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return total
}

// resident reads the resident set of a process, 0 if it is gone (proc(5), statm).
func resident(pid int) int64 {
	statm, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}
