//go:build unix

package confine

import "syscall"

// nonblock keeps the open of a FIFO that nobody writes to from waiting.
const nonblock = syscall.O_NONBLOCK
