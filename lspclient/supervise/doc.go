// Package supervise is the helper process between the bridge and a language
// server. The bridge re-executes its own program as the helper; the helper
// starts the server as its child and stays: it ends every descendant, also
// those that start a session of their own, when the bridge asks or dies.
//
// # Processes
//
//	bridge ── helper (session of its own, child subreaper) ── server (session of its own) ── ...
//
// The server has the bridge's pipes as its standard input, output and error; the
// helper copies nothing and keeps no end of them. Two more pipes join bridge and
// helper. The control pipe carries the [Spec], then commands; its end of file
// tells the helper that the bridge is gone, however it died. The status pipe
// carries the server's process id or why it could not be started, and how it
// ended. No secret is in an argument: the Spec travels on the pipe.
//
// # The end
//
// When the bridge asks ([Process.Stop]), the server's process group gets TERM,
// and after the grace every descendant gets KILL until the helper has no child
// left. A server that ends by itself leaves its descendants the same grace. When
// the bridge is gone the grace is at most half a second. The helper is a
// subreaper, so a descendant whose parent ends becomes the helper's own child,
// and no child left means no descendant left.
//
// # What is not covered
//
// If the helper itself is killed, the server dies with it by its parent-death
// signal, and the bridge kills the server's group and the processes that still
// name the private TMPDIR in their environment. If helper and bridge are killed
// in the same moment, a descendant in a session of its own outlives them.
//
// That is Linux. On other Unix systems there is no subreaper and no parent-death
// signal: the helper ends the server's process group. On Windows the server is a
// plain child and only the server itself is ended.
package supervise
