package lsptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"lspbridge/lspclient/lsptest"
)

// TestRaw shows that the oracle reports what a server says: results, errors, the
// end of a progress, and its own end.
func TestRaw(t *testing.T) {
	t.Parallel()
	program := lsptest.Require(t, "clangd-22")
	dir := lsptest.CPPWorkspace(t, 1, 4)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	raw := lsptest.StartRaw(t, lsptest.RawOptions{Program: program, Dir: dir, Args: []string{"--background-index"}})
	path := filepath.Join(dir, "src", "unit000.cpp")
	outline := func() (json.RawMessage, error) {
		return raw.Call(ctx, "textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": "file://" + path}})
	}

	var refused *lsptest.RawError
	if _, err := outline(); !errors.As(err, &refused) || refused.Code != -32602 {
		t.Errorf("a file that is not open: %v; want error -32602", err)
	}
	raw.Open(path, "cpp")
	result, err := outline()
	if err != nil {
		t.Fatal(err)
	}
	var symbols []struct{ Name string }
	if err := json.Unmarshal(result, &symbols); err != nil || len(symbols) == 0 {
		t.Errorf("the outline is %s", result)
	}
	if err := raw.AwaitProgress(ctx, "backgroundIndexProgress"); err != nil {
		t.Error(err)
	}
	if _, err := raw.Call(ctx, "shutdown", nil); err != nil {
		t.Error(err)
	}
	raw.Notify("exit", nil)
	if _, err := outline(); err == nil || ctx.Err() != nil {
		t.Errorf("asked after its end: %v; want the end of the server", err)
	}
}
