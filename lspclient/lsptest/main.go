package lsptest

import (
	"testing"

	"lspbridge/lspclient/supervise"
)

// Main is the TestMain of a package whose test binary also plays other parts: it
// runs the supervisor of a language server, the fake language server, or a
// [Writer], when it was started as one; otherwise it runs the tests and returns.
func Main(m *testing.M) {
	supervise.Main()
	runFake()
	runWriter()
	m.Run()
}
