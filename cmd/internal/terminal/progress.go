package terminal

import (
	"io"
	"sync"
	"time"
)

// progressPeriod is the least time between two drawings of a progress line.
const progressPeriod = 100 * time.Millisecond

// A Progress is one line that is drawn over again on a terminal. It is safe for
// concurrent use; the nil Progress draws nothing.
type Progress struct {
	out io.Writer
	now func() time.Time

	mu    sync.Mutex // guards what follows and the order of writes
	drawn bool
	last  time.Time
}

// NewProgress returns a line on out, which is a terminal.
func NewProgress(out io.Writer, now func() time.Time) *Progress {
	return &Progress{out: out, now: now}
}

// Show replaces the line by text. Changes that come too fast for a reader are
// left out.
func (p *Progress) Show(text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.drawn && now.Sub(p.last) < progressPeriod {
		return
	}
	p.drawn, p.last = true, now
	// Progress that cannot be drawn is no reason to fail.
	_, _ = io.WriteString(p.out, "\r\x1b[K"+Line(text))
}

// Clear takes the line away, before anything else is written.
func (p *Progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		p.drawn = false
		_, _ = io.WriteString(p.out, "\r\x1b[K")
	}
}
