package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"lspbridge/cmd/internal/cli"
	"lspbridge/cmd/internal/terminal"
)

// environment is this process as the command line sees it. What cannot be found
// out stays empty; the commands that need it say so.
func environment(stdout *os.File) cli.Environment {
	dir, _ := os.Getwd()
	self, _ := os.Executable()
	home, _ := os.UserHomeDir()
	return cli.Environment{
		Stdin:          os.Stdin,
		Stdout:         stdout,
		Stderr:         os.Stderr,
		StdoutTerminal: terminal.Is(stdout),
		StderrTerminal: terminal.Is(os.Stderr),
		Environ:        os.Environ(),
		Dir:            dir,
		Self:           self,
		Home:           home,
		Config:         absolute(xdg.ConfigHome, home),
		State:          absolute(xdg.StateHome, home),
		Cache:          absolute(xdg.CacheHome, home),
		Now:            time.Now,
	}
}

// absolute returns dir unless there is none: without a home folder the defaults
// of xdg lie in the root of the file system.
func absolute(dir, home string) string {
	if !filepath.IsAbs(dir) || home == "" && strings.HasPrefix(dir, "/.") {
		return ""
	}
	return dir
}
