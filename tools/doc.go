// Package tools holds the tools of the bridge's Model Context Protocol server:
// their schemas, their handlers, the target form they share, pages, and the
// text and structured forms of an answer. The command line calls the same
// handlers through [Bridge.Call].
package tools
