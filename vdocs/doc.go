// Package vdocs gives places outside the workspace opaque, expiring references,
// so that no path and no URI outside the workspace ever leaves the bridge.
//
// A reference is a name, not a permission: whoever holds one may ask for the
// place, and what may be read is decided anew at each read.
package vdocs
