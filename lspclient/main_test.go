package lspclient

import (
	"testing"

	"lspbridge/lspclient/lsptest"
)

func TestMain(m *testing.M) { lsptest.Main(m) }
