package tools_test

import (
	"os"
	"strings"
	"testing"

	"lspbridge/lspclient/lsptest"
)

// gopls ranks packages of one name now this way and now that; the answer is the
// same each time, and says which import belongs to each. Those of the module cache
// are among them, whatever is in it.
func TestGoCompletionOfImports(t *testing.T) {
	t.Parallel()
	r := startReal(t, lsptest.Workspace(t, "-- go.mod --\nmodule m\n\ngo 1.26\n-- a.go --\npackage m\n\nfunc H() {\n\ttem\n}\n"), "gopls", lsptest.Require(t, "gopls"))
	said := map[string]bool{}
	for range 20 {
		res := r.ask(t, "completion", `{"file":"a.go","line":4,"column":5}`)
		if res.Err != nil {
			t.Fatal(res.Err.Text())
		}
		said[res.Text] = true
		html, text := strings.Index(res.Text, `"\nimport \"html/template\"\n"`), strings.Index(res.Text, `"\nimport \"text/template\"\n"`)
		if html < 0 || text < html || !strings.Contains(res.Text, ": at least ") {
			t.Fatalf("%s", res.Text)
		}
	}
	if len(said) != 1 {
		t.Errorf("%d different answers", len(said))
	}
	if text, err := os.ReadFile(r.dir + "/a.go"); err != nil || strings.Contains(string(text), "import") {
		t.Errorf("the file is now %q, error %v", text, err)
	}
}
