//go:build !unix

package lspclient

// nonblock has no meaning here: there are no FIFOs in the file system.
const nonblock = 0
