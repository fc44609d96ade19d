// Package servers holds what the bridge knows of each language server: how to
// start it, which files it serves, where its program is found, which version it
// has, and how it is installed when somebody asks for that.
package servers
