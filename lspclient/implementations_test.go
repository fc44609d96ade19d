package lspclient_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/textpos"
)

// TestGoplsImplementationsOfAnArgument: gopls takes a place that touches an opening
// parenthesis for the call, and answers with functions of the called type.
func TestGoplsImplementationsOfAnArgument(t *testing.T) {
	t.Parallel()
	gopls, dir := lsptest.Require(t, "gopls"), t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": `package m

type Closer interface{ Close() }

type File struct{}

func (File) Close() {}

type T struct{ File }

func work(any) {}

var f, g func(any)

func _(v int) {
	g(File{}) // 1
	g(T{})    // 2
	g(v)      // 3
	f(1)      // 4
	g(f)      // 5
	work(f)   // 6
	g(work)   // 7
}
`})
	b := openReal(t, dir, "gopls", gopls)
	closer := []string{"a.go:3:6-3:12"}
	for _, c := range []struct {
		before, after string // the place
		want          []string
	}{
		{"g(", "File{}) // 1", closer},
		{"g(", "T{})    // 2", closer},
		{"g(", "v)      // 3", nil},
		{"\t", "f(1)      // 4", nil},
		{"g(", "f)      // 5", nil},
		{"work(", "f)   // 6", nil},
		{"g(", "work)   // 7", nil},
	} {
		got, err := b.Implementations(t.Context(), b.file(t, "a.go"), func(m *textpos.Mapper) (int, error) {
			offset, err := on(c.before + c.after)(m)
			return offset + len(c.before), err
		})
		var refused *lspclient.Error
		switch {
		case c.want == nil:
			if !errors.As(err, &refused) || refused.Code != lspclient.CodeRefused {
				t.Errorf("%s%s: %v, error %v; want a refusal, for it is no type", c.before, c.after, b.places(got), err)
			}
		case err != nil:
			t.Errorf("%s%s: %v", c.before, c.after, err)
		default:
			if diff := cmp.Diff(c.want, b.places(got)); diff != "" {
				t.Errorf("%s%s (-want +got):\n%s", c.before, c.after, diff)
			}
		}
	}
}
