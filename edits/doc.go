// Package edits plans, checks, shows and (later, after a person's yes) writes
// changes of text. It knows nothing of language servers: an edit arrives here
// as a byte range of a file's text.
package edits
