// Package lsptest helps tests of the bridge: a scriptable fake language server
// for misbehaviour, workspaces from txtar archives, generated projects in C++
// and Go, and the discovery of real language servers.
//
// A test package that starts processes opens with
//
//	func TestMain(m *testing.M) { lsptest.Main(m) }
//
// so that its own test binary can play the supervisor and the fake server.
//
// Environment: LSPBRIDGE_REQUIRE_SERVERS lists the programs (comma or space
// between them) that must be there; a test that needs another one skips.
package lsptest
