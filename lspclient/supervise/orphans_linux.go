package supervise

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// killOrphans ends what a killed helper left: the server's process group, and
// the processes whose environment names the server's private TMPDIR. Those have
// no common parent any more, and the folder's name is the one trace they keep.
func killOrphans(server int, tmpDir string) {
	_ = syscall.Kill(-server, syscall.SIGKILL)
	if tmpDir == "" {
		return
	}
	deadline := time.Now().Add(killWait)
	for killNaming(tmpDir) > 0 && time.Now().Before(deadline) {
		// They are nobody's children here, so there is no event to wait for.
		time.Sleep(5 * time.Millisecond)
	}
}

// killNaming kills the processes that have tmpDir as TMPDIR and counts them. A
// process that is ending has no environment and is not counted.
func killNaming(tmpDir string) (n int) {
	want := []byte("TMPDIR=" + tmpDir)
	for pid := range processes {
		environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		if err != nil || pid == os.Getpid() {
			continue
		}
		for variable := range bytes.SplitSeq(environ, []byte{0}) {
			if bytes.Equal(variable, want) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				n++
				break
			}
		}
	}
	return n
}
