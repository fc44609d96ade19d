package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/tools"
)

// gopls sends the files of a rename in any order, and leaves out what the build
// leaves out: the answer has one order, and says what may be missing.
func TestRenameIsTheSameAndNotSilent(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	dir := lsptest.Workspace(t, `
-- go.mod --
module example.com/m

go 1.26
-- a.go --
package m

func Shared() int { return 1 }
-- b.go --
package m

var B = Shared()
-- c/c.go --
package c

import "example.com/m"

var C = m.Shared()
-- d/d.go --
package d

import "example.com/m"

var D = m.Shared()
-- tagged.go --
//go:build integration

package m

var T = Shared()
`)
	r := startReal(t, dir, "gopls", gopls)
	first := ""
	for range 8 {
		res := r.ask(t, "preview_rename", `{"symbol":"Shared","new_name":"Common"}`)
		if res.Err != nil {
			t.Fatal(res.Err.Text())
		}
		var whole map[string]any
		if err := json.Unmarshal(res.Structured, &whole); err != nil {
			t.Fatal(err)
		}
		delete(whole, "completeness") // holds waited_ms
		again, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		if text := res.Text + string(again); first == "" {
			first = text
		} else if text != first {
			t.Fatalf("two answers:\n%s\n%s", first, text)
		}
		if res.State != lspclient.Partial || !strings.Contains(res.Text, `1 holds "Shared": tagged.go`) {
			t.Errorf("%s: %.300s", res.State, res.Text)
		}
	}
	for args, says := range map[string]string{
		`{"file":"a.go","line":3,"name":"int","new_name":"x"}`:      "nothing here that can be renamed",
		`{"file":"a.go","line":3,"name":"Shared","new_name":"B"}`:   "conflicts with var in same block",
		`{"file":"a.go","line":3,"name":"Shared","new_name":"1x"}`:  "invalid identifier",
		`{"file":"a.go","line":3,"name":"Shared","new_name":"a-b"}`: "invalid identifier",
	} {
		if e := r.ask(t, "preview_rename", args).Err; e == nil || e.Class == tools.ClassIncomplete || !strings.Contains(e.Message, says) || strings.Contains(e.Text(), dir) {
			t.Errorf("%s: %+v, want %q", args, e, says)
		}
	}
}
