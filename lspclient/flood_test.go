//go:build unix

package lspclient_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/limits"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
)

// TestFloodOfPlaces: what an answer costs is bounded by its own size, not by the
// size of the files it names.
func TestFloodOfPlaces(t *testing.T) {
	const files, perFile, lineBytes = 10, 2000, 1 << 20
	names := map[string]string{"a.fake": "let x = 1\n"}
	var places []string
	for i := range files {
		names[fmt.Sprintf("f%02d.fake", i)] = strings.Repeat("x", lineBytes) + "\n"
	}
	for n := range perFile { // never two of one file behind each other
		for i := range files {
			places = append(places, fmt.Sprintf(`{"uri":"$ROOT/f%02d.fake","range":{"start":{"line":0,"character":%d},"end":{"line":0,"character":%d}}}`, i, n, n+1))
		}
	}
	b, _ := openFake(t, lsptest.Script{On: answers("textDocument/references", "["+strings.Join(places, ",")+"]")}, fakeServer(), names, nil)
	got, err := b.references(t, "a.fake", "x")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Items) != files*perFile || got.Completeness.State != lspclient.Complete {
		t.Fatalf("%d places, %+v", len(got.Items), got.Completeness)
	}
	var after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := after.HeapAlloc >> 20; held > 3*files+32 {
		t.Errorf("%d MiB held for %d files of 1 MiB", held, files)
	}
	runtime.KeepAlive(got)
}

// TestOddPlaces: whatever a server names, nothing is opened that is no file, and
// what is left out is said.
func TestOddPlaces(t *testing.T) {
	at := func(uri string) string {
		return fmt.Sprintf(`{"uri":%q,"range":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}}}`, uri)
	}
	outside := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(outside, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "f"), []byte("é é x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, result string
		want         []string
		state        lspclient.State
	}{
		{"another scheme", at("jdt://contents/x"), []string{"outside:1:5-1:6"}, lspclient.Complete},
		{"no scheme", at("a.fake"), []string{}, lspclient.Partial},
		{"a host", at("file://evil/a.fake"), []string{}, lspclient.Partial},
		{"a NUL", at("file:///a%00b"), []string{}, lspclient.Partial},
		{"a relative path", at("file:a.fake"), []string{}, lspclient.Partial},
		{"a bad escape", at("file:///a%zz"), []string{}, lspclient.Partial},
		{"a very long URI", at("x:" + strings.Repeat("y", 100_000)), []string{}, lspclient.Partial},
		{"a pipe outside", at("file://" + outside + "/fifo"), []string{"outside:1:5-1:6"}, lspclient.Complete},
		{"a device outside", at("file:///dev/zero"), []string{"outside:1:5-1:6"}, lspclient.Complete},
		{"a file outside", at("file://" + outside + "/f"), []string{"outside:1:7-1:8"}, lspclient.Complete},
		{"a pipe inside", at("$ROOT/fifo.fake"), []string{}, lspclient.Partial},
		{"a folder inside", at("$ROOT/dir.fake"), []string{}, lspclient.Complete},
		{"below a file", at("$ROOT/a.fake/x.fake"), []string{}, lspclient.Complete},
		{"the root", at("$ROOT"), []string{}, lspclient.Partial},
		{"backwards inside", `{"uri":"$URI","range":{"start":{"line":0,"character":5},"end":{"line":0,"character":4}}}`, []string{}, lspclient.Partial},
		{"backwards outside", `{"uri":"file:///usr/none","range":{"start":{"line":3,"character":5},"end":{"line":2,"character":9}}}`, []string{}, lspclient.Partial},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, bin := t.TempDir(), t.TempDir()
			lsptest.WriteFiles(t, dir, map[string]string{"a.fake": "let x = 1\n", "dir.fake/keep": ""})
			if err := syscall.Mkfifo(filepath.Join(dir, "fifo.fake"), 0o666); err != nil {
				t.Fatal(err)
			}
			fake := lsptest.NewProcess(t, lsptest.Script{On: answers("textDocument/definition", "["+tt.result+"]")})
			fake.Program(t, bin, "fakels", "fakels 1.0.0")
			b := open(t, dir, bin, fakeServer(), func(l *limits.Budget) {})
			got, err := b.Definition(t.Context(), b.file(t, "a.fake"), on("x"), lspclient.KindDefinition)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, b.places(got)); diff != "" || got.Completeness.State != tt.state {
				t.Errorf("completeness %+v, want %s; places (-want +got):\n%s", got.Completeness, tt.state, diff)
			}
		})
	}
}

// TestOutlineDeeperThanShown: an outline that is cut says so.
func TestOutlineDeeperThanShown(t *testing.T) {
	symbol, closing := "", ""
	for range 80 {
		symbol += `[{"name":"x","kind":12,"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":9}},"selectionRange":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}},"children":`
		closing += "}]"
	}
	b, _ := openFake(t, lsptest.Script{On: answers("textDocument/documentSymbol", symbol+"[]"+closing)}, fakeServer(), map[string]string{"a.fake": "let x = 1\n"}, nil)
	got, err := b.DocumentSymbols(t.Context(), b.file(t, "a.fake"))
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Completeness; c.State != lspclient.Partial || len(c.Reasons) != 1 || !strings.Contains(c.Reasons[0], "64 levels") {
		t.Errorf("completeness %+v, want partial, and the depth", c)
	}
}
