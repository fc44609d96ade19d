//go:build unix

package confine_test

import (
	"testing"

	"lspbridge/limits/confine"
)

// Thousands of places of an answer lie in some hundred files.
func BenchmarkLocate(b *testing.B) {
	p := newPlace(b)
	w := open(b, confine.Options{}, p.ws)
	abs := p.ws + "/sub/deep/c.go"
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			w.Locate(abs)
		}
	})
	b.Run("in an answer", func(b *testing.B) {
		l := w.Locator()
		for b.Loop() {
			l.Locate(abs)
		}
	})
}
