package lspclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// startQueue returns a running queue over out; end ends its connection.
func startQueue(t *testing.T, out io.WriteCloser, o wireOptions) (q *queue, end context.CancelCauseFunc) {
	life, end := context.WithCancelCause(t.Context())
	q = newQueue(life, out, func(err error) {
		end(err)
		out.Close()
	}, o)
	q.start()
	t.Cleanup(func() {
		end(errClosedHere)
		out.Close()
		q.wait()
	})
	return q, end
}

func TestQueueOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		q, _ := startQueue(t, w, wireOptions{Queue: 8, MessageBytes: 1 << 20})
		big := bytes.Repeat([]byte("b"), 3*writeStep+1)
		for _, frame := range [][]byte{[]byte("one"), big, []byte("two")} {
			if err := q.tryPut(frame); err != nil {
				t.Fatal(err)
			}
		}
		got := make([]byte, 3+len(big)+3)
		if _, err := io.ReadFull(r, got); err != nil {
			t.Fatal(err)
		}
		if want := "one" + string(big) + "two"; string(got) != want {
			t.Error("frames were mixed up")
		}
	})
}

// TestQueueBounds: neither the count nor the bytes of waiting frames grow.
func TestQueueBounds(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     wireOptions
		frame int // bytes of each
		fit   int
	}{
		{"count", wireOptions{Queue: 4, MessageBytes: 1 << 20}, 1, 4},
		{"bytes", wireOptions{Queue: 100, MessageBytes: 1000}, 300, 3},
		{"one too large", wireOptions{Queue: 100, MessageBytes: 1000}, 5000, 1},
		{"odd numbers", wireOptions{Queue: 6, MessageBytes: 10}, 1, 5},
		{"nothing given", wireOptions{}, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, w := io.Pipe()
				q, _ := startQueue(t, w, c.o)
				frame := bytes.Repeat([]byte("x"), c.frame)
				for range c.fit {
					if err := q.tryPut(frame); err != nil {
						t.Fatal(err)
					}
				}
				if err := q.tryPut(frame); !errors.Is(err, errQueueFull) {
					t.Fatalf("one too many: %v", err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := q.put(ctx, frame); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("waiting for room: %v", err)
				}
				room := make(chan error, 1)
				go func() { room <- q.put(t.Context(), frame) }()
				if _, err := io.ReadFull(r, make([]byte, c.frame)); err != nil {
					t.Fatal(err)
				}
				if err := <-room; err != nil {
					t.Errorf("room was made: %v", err)
				}
			})
		})
	}
}

// TestQueueEnd: who waits for room learns of the end of the connection.
func TestQueueEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, w := io.Pipe()
		q, end := startQueue(t, w, wireOptions{Queue: 1, MessageBytes: 100})
		if err := q.tryPut([]byte("x")); err != nil {
			t.Fatal(err)
		}
		waiting := make(chan error, 1)
		go func() { waiting <- q.put(t.Context(), []byte("y")) }()
		synctest.Wait()
		end(errOutputClosed)
		if err := <-waiting; !errors.Is(err, errOutputClosed) {
			t.Errorf("put returned %v", err)
		}
		if err := q.tryPut([]byte("z")); !errors.Is(err, errOutputClosed) {
			t.Errorf("tryPut returned %v", err)
		}
	})
}

// TestStall: only a write that does not move at all is a stall.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const stall = 10 * time.Second
		r, w := io.Pipe()
		var stalls atomic.Int32
		q, _ := startQueue(t, w, wireOptions{
			Queue: 8, MessageBytes: 1 << 20, Stall: stall, Stalled: func() { stalls.Add(1) },
		})
		frame := bytes.Repeat([]byte("x"), 8*writeStep)
		if err := q.tryPut(frame); err != nil {
			t.Fatal(err)
		}
		for range 8 { // slow, 72 s in all
			time.Sleep(stall - time.Second)
			if _, err := io.ReadFull(r, make([]byte, writeStep)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour) // idle
		synctest.Wait()
		if n := stalls.Load(); n != 0 || q.life.Err() != nil {
			t.Fatalf("%d stalls, %v", n, context.Cause(q.life))
		}
		for range 3 {
			if err := q.tryPut(frame[:10]); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		<-q.life.Done()
		if took := time.Since(began); took != stall {
			t.Errorf("stalled after %s; want %s", took, stall)
		}
		time.Sleep(time.Hour)
		if n := stalls.Load(); n != 1 || !errors.Is(context.Cause(q.life), errStalled) {
			t.Errorf("%d stalls, %v", n, context.Cause(q.life))
		}
	})
}

func TestWriteFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		q, _ := startQueue(t, w, wireOptions{Queue: 8, MessageBytes: 100})
		broken := errors.New("broken pipe")
		r.CloseWithError(broken)
		if err := q.tryPut([]byte("x")); err != nil {
			t.Fatal(err)
		}
		<-q.life.Done()
		if err := context.Cause(q.life); !errors.Is(err, broken) {
			t.Errorf("ended with %v", err)
		}
	})
}
