// Package confine decides which paths are inside a workspace and opens them.
//
// A workspace is one or more root folders. Towards language servers a root is
// canonical (symbolic links resolved); towards people it is spelled as the user
// spelled it. Every file is opened through an [os.Root], so that no race
// between check and use leads out, with O_NONBLOCK, and only regular files are
// read.
//
// It imports the standard library alone.
package confine
