//go:build !unix

package cli

// nonBlocking: opening a file does not wait here.
const nonBlocking = 0
