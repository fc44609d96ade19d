//go:build !unix

package lsptest

import "syscall"

// ownSession has no meaning here.
func ownSession() *syscall.SysProcAttr { return nil }
