package tools_test

import (
	"testing"

	"lspbridge/lspclient/lsptest"
)

// The test binary plays the supervisor of a language server too.
func TestMain(m *testing.M) { lsptest.Main(m) }
