// Package limits names every bound of the bridge: its default, its hard
// maximum, the unit it is written in, and the text of its row in
// server_status. Nothing outside this package spells a bound as a literal.
//
// It also holds the arithmetic that bounds share: pages by count and size, and
// the clipping of text to a number of characters.
//
// It imports the standard library alone.
package limits
