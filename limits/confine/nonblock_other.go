//go:build !unix

package confine

// nonblock is nothing where a name in a folder is never a FIFO.
const nonblock = 0
