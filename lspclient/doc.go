// Package lspclient is a headless client of language servers (LSP 3.18). It
// starts real servers for a workspace, keeps what they know equal to the files
// on disk, asks them, and answers in small types of its own; types of
// go.lsp.dev stop here.
//
// One path serves every request: take a slot, flush what changed on disk, open
// or refresh the asked file, call, convert.
package lspclient
