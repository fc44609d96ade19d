//go:build unix

package supervise

// marker is the one argument of a helper. It says in a process list what the
// process is for.
const marker = "language-server-supervisor"

// The helper's descriptors beside the server's standard three.
const (
	controlFD = 3 // Spec, then commands; end of file: the bridge is gone
	statusFD  = 4 // reports
)

// Both pipes carry gob, which keeps arguments and environment byte for byte;
// JSON would change what is not UTF-8.

// A command is what the bridge asks of a running helper.
type command int

const (
	commandStop command = iota + 1
	commandKill
)

// A report is what the helper tells: first PID or Failed, at the end Exit.
type report struct {
	PID    int
	Failed string // why the server could not be started
	Errno  int    // the system's error number behind Failed, 0 when there is none
	Exit   string // how the server ended
}
