package lsptest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// awaitFor bounds every wait of a test for the fake server.
const awaitFor = time.Minute

// A Recorder holds what a fake server received, in order, over all its starts.
type Recorder struct {
	mu       sync.Mutex
	messages []Message
	changed  chan struct{} // closed and replaced at each message
}

func newRecorder() *Recorder { return &Recorder{changed: make(chan struct{})} }

func (r *Recorder) add(m Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages = append(r.messages, m)
	close(r.changed)
	r.changed = make(chan struct{})
}

// Messages returns what was received so far.
func (r *Recorder) Messages() []Message {
	messages, _ := r.snapshot()
	return messages
}

func (r *Recorder) snapshot() ([]Message, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.messages), r.changed
}

// Of returns the messages of a method received so far, replies apart.
func (r *Recorder) Of(method string) []Message {
	return slices.DeleteFunc(r.Messages(), func(m Message) bool { return m.Reply || m.Method != method })
}

// Replies returns the replies to requests of a method received so far.
func (r *Recorder) Replies(method string) []Message {
	return slices.DeleteFunc(r.Messages(), func(m Message) bool { return !m.Reply || m.Method != method })
}

// Await waits until n messages of a method have come, replies apart, and returns
// them. It fails the test after a minute.
func (r *Recorder) Await(t testing.TB, method string, n int) []Message {
	t.Helper()
	r.await(t, fmt.Sprintf("%d of %s", n, method), func() bool { return len(r.Of(method)) >= n })
	return r.Of(method)[:n]
}

// AwaitReplies waits until n replies to requests of a method have come, and
// returns them.
func (r *Recorder) AwaitReplies(t testing.TB, method string, n int) []Message {
	t.Helper()
	r.await(t, fmt.Sprintf("%d replies to %s", n, method), func() bool { return len(r.Replies(method)) >= n })
	return r.Replies(method)[:n]
}

func (r *Recorder) await(t testing.TB, what string, met func() bool) {
	t.Helper()
	timer := time.NewTimer(awaitFor)
	defer timer.Stop()
	for {
		_, changed := r.snapshot()
		if met() {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			var got []string
			for _, m := range r.Messages() {
				got = append(got, fmt.Sprintf("%.200s", m.String()))
			}
			t.Fatalf("the fake server did not receive %s; it received\n%s", what, strings.Join(got, "\n"))
		}
	}
}
