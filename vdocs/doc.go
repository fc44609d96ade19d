// Package vdocs gives places outside the workspace opaque, expiring references,
// so that no path and no URI outside the workspace ever leaves the bridge.
package vdocs
