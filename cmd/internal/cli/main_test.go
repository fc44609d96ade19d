package cli

import (
	"testing"

	"lspbridge/lspclient/lsptest"
)

// The test binary plays the supervisor of a language server, and the fake one.
func TestMain(m *testing.M) { lsptest.Main(m) }
