package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"lspbridge/lspclient"
	"lspbridge/tools"
)

// TestReady: each server says for itself how far it came, and one that failed
// does not hide the others; what it said leaves through the redactor.
func TestReady(t *testing.T) {
	var dir string
	f := newFixture(t, small, func(_ *tools.Options, s *textual) {
		dir = s.ws.Roots()[0].Canonical
		s.errs = map[string]error{"clangd": &lspclient.Error{Code: lspclient.CodeMissing, Msg: "no clangd below " + dir + "/bin", Hint: "install it"}}
	})
	list, err := f.Ready(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 {
		t.Fatalf("%d servers, want 2: %+v", len(list), list)
	}
	gopls, clangd := list[0], list[1]
	if gopls.Server != "gopls" || !gopls.Ready || gopls.Err != nil || gopls.Files != 2 || gopls.Version != "1.0" {
		t.Errorf("gopls: %+v", gopls)
	}
	if clangd.Ready || clangd.Err == nil || clangd.Err.Class != tools.ClassServer || clangd.Err.Code != "missing" || clangd.Completeness.State != lspclient.Unknown {
		t.Fatalf("clangd: %+v", clangd)
	}
	if strings.Contains(clangd.Err.Message, dir) || !strings.Contains(clangd.Err.Message, "no clangd below bin") {
		t.Errorf("the message %q is not redacted", clangd.Err.Message)
	}
}

// TestReadyRefuses: what no question may do, waiting may not do either.
func TestReadyRefuses(t *testing.T) {
	f := newFixture(t, small, func(o *tools.Options, _ *textual) {
		o.Trusted = func() error { return errors.New("no") }
	})
	f.pool.before = func(context.Context) { t.Error("a server of an untrusted workspace is asked") }
	var e *tools.Error
	if _, err := f.Ready(t.Context(), nil); !errors.As(err, &e) || e.Class != tools.ClassRefused || e.Code != "untrusted" {
		t.Errorf("untrusted: %v", err)
	}
	none := newFixture(t, "-- notes.txt --\n", nil)
	if _, err := none.Ready(t.Context(), nil); !errors.As(err, &e) || e.Code != "no_server" {
		t.Errorf("no language: %v", err)
	}
}
