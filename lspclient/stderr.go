package lspclient

import (
	"io"
	"sync"
)

// A ring keeps the last bytes that a server wrote to its stderr.
type ring struct {
	mu   sync.Mutex
	buf  []byte
	size int
}

// stderrBytes is how much of a server's stderr is kept.
const stderrBytes = 64 << 10

// drain reads r to its end and closes it, keeping the tail. A server that floods its stderr
// is never held up and costs no more than the ring.
func (g *ring) drain(r io.ReadCloser) {
	defer r.Close()
	chunk := make([]byte, 8<<10)
	for {
		n, err := r.Read(chunk)
		g.write(chunk[:n])
		if err != nil {
			return
		}
	}
}

func (g *ring) write(p []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.buf = append(g.buf, p...)
	if over := len(g.buf) - g.size; over > 0 {
		g.buf = append(g.buf[:0], g.buf[over:]...)
	}
}

// tail returns at most the last n bytes.
func (g *ring) tail(n int) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return string(g.buf[max(0, len(g.buf)-n):])
}
