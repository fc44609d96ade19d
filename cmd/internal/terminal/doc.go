// Package terminal knows what a terminal needs: whether there is one, text that
// cannot steer it, colours, and a line of progress.
package terminal
