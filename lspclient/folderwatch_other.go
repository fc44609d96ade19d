//go:build !linux

package lspclient

// watchesFolders is false where watches need a descriptor a file, or were not
// tried: every question walks through the folders.
const watchesFolders = false

func localFolder(string) error { return nil }
