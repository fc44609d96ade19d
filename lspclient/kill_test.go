package lspclient_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/servers"
)

// TestGoplsIsKilled kills gopls at random moments under eight callers: nobody
// hangs, no answer is wrong, and answers are soon back.
func TestGoplsIsKilled(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n", "b.go": "package m\n\nvar B = Shared()\n", "c/c.go": "package c\n\nimport \"m\"\n\nvar C = m.Shared()\n",
	})
	b := openReal(t, dir, "gopls", gopls)
	want := []string{"a.go:3:6-3:12", "b.go:3:9-3:15", "c/c.go:5:11-5:17"}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	var asked, failed atomic.Int64
	var answered atomic.Int64 // the latest generation that gave a right answer
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for i := range 8 {
		file := []string{"a.go", "b.go", "c/c.go"}[i%3]
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
				began := time.Now()
				got, err := b.References(ctx, b.file(t, file), on("Shared"), true)
				cancel()
				asked.Add(1)
				var known *lspclient.Error
				switch {
				case time.Since(began) > 51*time.Second:
					t.Errorf("a caller was held for %v", time.Since(began))
				case errors.As(err, &known) && known.Code == lspclient.CodeFailed:
					failed.Add(1) // killed each time it was asked
				case err != nil:
					t.Errorf("%v", err)
				case got.Completeness.State != lspclient.Complete || !slices.Equal(b.places(got), want):
					t.Errorf("%s: %+v", strings.Join(b.places(got), ", "), got.Completeness)
				default:
					for g := int64(got.Completeness.Generation); ; {
						if was := answered.Load(); was >= g || answered.CompareAndSwap(was, g) {
							break
						}
					}
				}
			}
		})
	}
	var back []time.Duration
	for range rounds(20, 200) {
		// Anywhere in a start, a load or an answer.
		time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond)
		pid, generation := b.Run("gopls")
		if pid == 0 {
			continue
		}
		process, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		if process.Kill() != nil {
			continue // it has ended
		}
		for answered.Load() <= int64(generation) && time.Since(killed) < time.Minute {
			time.Sleep(5 * time.Millisecond)
		}
		back = append(back, time.Since(killed))
	}
	close(stop)
	callers.Wait()
	slices.Sort(back)
	p95 := back[len(back)*95/100]
	t.Logf("%d kills, %d questions, %d errors; back after %v (median), %v (95th percentile), %v (longest)", len(back), asked.Load(), failed.Load(), back[len(back)/2], p95, back[len(back)-1])
	if len(back) < rounds(10, 100) {
		t.Errorf("only %d kills", len(back))
	}
	if p95 > 2*time.Second && os.Getenv("LSPBRIDGE_FULL") == "1" {
		t.Errorf("the 95th percentile of %v is over 2 s", p95)
	}
}

// TestServerOverItsMemory: a server that holds more memory than it may is started
// anew, and the next answer is right all the same.
func TestServerOverItsMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory is not looked at on this system")
	}
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nimport \"net/http\"\n\nvar A = http.StatusOK\n\nvar B = A\n"})
	entry := servers.Builtin().Servers[0]
	entry.Commands = []string{filepath.Base(gopls)}
	b := openWith(t, dir, filepath.Dir(gopls), entry, confine.Options{}, t.TempDir(), func(l *limits.Budget) { l.ServerMemory = 64 << 20 })
	deadline := time.Now().Add(time.Minute)
	for generation := 0; generation < 2; {
		got, err := b.references(t, "a.go", "A =")
		if err != nil || len(got.Items) != 2 || got.Completeness.State != lspclient.Complete {
			t.Fatalf("%q, %+v, error %v", b.places(got), got.Completeness, err)
		}
		if generation = got.Completeness.Generation; time.Now().After(deadline) {
			t.Fatal("it is never started anew")
		}
		time.Sleep(50 * time.Millisecond)
	}
}
