//go:build unix

package cli

import "syscall"

// nonBlocking keeps open from waiting, should a file have become a FIFO.
const nonBlocking = syscall.O_NONBLOCK
