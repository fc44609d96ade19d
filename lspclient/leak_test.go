//go:build linux

package lspclient_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
)

// TestCloseUnderLoad closes a pool while callers ask, files change, the server
// crashes again and again and idles out; nothing may be left: no process, no
// goroutine, no open file. It does not run beside other tests: it counts.
func TestCloseUnderLoad(t *testing.T) {
	goroutines := func() (int, string) {
		buf := make([]byte, 1<<20)
		buf = buf[:runtime.Stack(buf, true)]
		n := 0
		var ours []string
		for g := range strings.SplitSeq(string(buf), "\n\n") {
			if strings.Contains(g, "testing.tRunner") || strings.Contains(g, "lspbridge/lspclient.TestMain") {
				continue // a test itself, perhaps one that waits for its turn
			}
			if strings.Contains(g, "lspbridge/lspclient.") || strings.Contains(g, "lspbridge/lspclient/supervise.") {
				n++
				ours = append(ours, g)
			}
		}
		return n, strings.Join(ours, "\n\n")
	}
	files := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return 0
		}
		return len(list)
	}
	script := lsptest.Script{On: answers("textDocument/references", `[`+place+`]`)}
	script.On["textDocument/hover"] = []lsptest.Reaction{{Result: `null`}, {Result: `null`}, {Before: []lsptest.Action{lsptest.Exit(1)}}}
	script.On["workspace/symbol"] = []lsptest.Reaction{{Never: true}}
	before, rounds := 0, 4
	if os.Getenv("LSPBRIDGE_FULL") == "1" {
		rounds = 60
	}
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			names := map[string]string{}
			for i := range 8 {
				names[fmt.Sprintf("f%d.fake", i)] = "let x = 1\n"
			}
			b, fake := openFake(t, script, fakeServer(), names, func(l *limits.Budget) {
				l.OpenDocuments, l.ServerIdle, l.Restarts = 2, 20*time.Millisecond, 100
			})
			if _, err := b.references(t, "f0.fake", "x"); err != nil {
				t.Fatal(err)
			}
			stop := make(chan struct{})
			var wg sync.WaitGroup
			for i := range 8 {
				f := b.file(t, fmt.Sprintf("f%d.fake", i))
				wg.Go(func() {
					for n := 0; ; n++ {
						select {
						case <-stop:
							return
						default:
						}
						switch (n + i) % 5 {
						case 0:
							_, _ = b.Hover(t.Context(), f, on("x"))
						case 1:
							b.Warm()
							_, _ = b.Status(t.Context())
						case 2:
							_ = os.WriteFile(filepath.Join(b.dir, f.Rel), fmt.Appendf(nil, "let x = %d\n", n), 0o666)
						default:
							_, _ = b.References(t.Context(), f, on("x"), true)
						}
					}
				})
			}
			wg.Go(func() { _, _ = b.WorkspaceSymbols(t.Context(), "fakels", "x") })
			fake.AwaitStart(t, min(round, 2))
			began := time.Now()
			b.Close()
			if d := time.Since(began); d > 5*time.Second {
				t.Errorf("took %v to end", d)
			}
			close(stop)
			wg.Wait()
			b.Warm() // after the end it does nothing
			n, stacks := goroutines()
			for deadline := time.Now().Add(time.Second); n > 0 && time.Now().Before(deadline); n, stacks = goroutines() {
				runtime.Gosched() // one may be on its last step
			}
			if n > 0 {
				t.Errorf("%d goroutines are left:\n%s", n, stacks)
			}
			for start := range fake.Starts() {
				_, ended := fake.AwaitStart(t, start)
				select {
				case <-ended:
				case <-time.After(5 * time.Second):
					t.Errorf("start %d still runs", start)
				}
			}
			if before == 0 {
				before = files()
			} else if n := files(); n > before+20 { // sockets to the fakes of this test come and go
				t.Errorf("%d open files, %d after the first round", n, before)
			}
		})
	}
}
