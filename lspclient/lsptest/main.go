package lsptest

import (
	"os"
	"testing"

	"lspbridge/lspclient/supervise"
)

// Main is the TestMain of a package whose test binary also plays other parts: it
// runs the supervisor of a language server, or the fake language server, when it
// was started as one; otherwise it runs the tests.
func Main(m *testing.M) {
	runHelper()
	runFake()
	os.Exit(m.Run())
}

// runHelper runs the supervisor when this process was started as one.
func runHelper() {
	defer func() {
		if p := recover(); p != nil && p != "todo" { // until package supervise has its body
			panic(p)
		}
	}()
	supervise.Main()
}
