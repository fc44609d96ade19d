// Package lsptest helps tests of the bridge: a scriptable fake language server
// for misbehaviour, workspaces from txtar archives, and the discovery of real
// language servers.
package lsptest
