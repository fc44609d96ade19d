package lspclient

import (
	"bytes"
	"io"
	"sync"
)

// A ring keeps the last bytes that a server wrote to its stderr.
type ring struct {
	// line, when not nil, is given each line, those over maxLine without their
	// ends. It must not keep it.
	line func([]byte)
	part []byte // of a line that has not ended; of drain alone

	mu   sync.Mutex
	buf  []byte
	size int
}

// maxLine bounds the line that is given to ring.line.
const maxLine = 8 << 10

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
		g.split(chunk[:n])
		if err != nil {
			return
		}
	}
}

// split hands out the lines that p ends.
func (g *ring) split(p []byte) {
	if g.line == nil {
		return
	}
	for {
		head, rest, ended := bytes.Cut(p, []byte("\n"))
		g.part = append(g.part, head[:min(len(head), maxLine-len(g.part))]...)
		if !ended {
			return
		}
		g.line(g.part)
		g.part, p = g.part[:0], rest
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
