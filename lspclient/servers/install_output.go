package servers

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	// tickTime is the time between two lines of a build that says nothing.
	tickTime = 5 * time.Second
	// tailBytes is how much of a failed build's words the error repeats.
	tailBytes = 2 << 10
)

// buildOutput turns what go prints into progress lines and keeps its end.
type buildOutput struct {
	progress func(string)
	what     string
	started  time.Time

	mu   sync.Mutex // guards the fields below and orders the progress lines
	line []byte     // a line that is not ended yet
	last []byte     // the end of all output
}

func (o *buildOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = keepEnd(append(o.last, p...))
	for chunk := range bytes.Lines(p) {
		o.line = append(o.line, chunk...)
		if !bytes.HasSuffix(o.line, []byte("\n")) {
			o.line = keepEnd(o.line)
			continue
		}
		if module, ok := strings.CutPrefix(strings.TrimSpace(string(o.line)), "go: downloading "); ok {
			o.progress("downloading " + module)
		}
		o.line = o.line[:0]
	}
	return len(p), nil
}

func keepEnd(b []byte) []byte { return b[max(0, len(b)-tailBytes):] }

// tail returns the end of the output.
func (o *buildOutput) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(o.last), ""))
}

// tick tells how long the build has run, until stop is called.
func (o *buildOutput) tick() (stop func()) {
	ended, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		ticker := time.NewTicker(tickTime)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
				o.mu.Lock()
				o.progress(fmt.Sprintf("%s, %v", o.what, time.Since(o.started).Round(time.Second)))
				o.mu.Unlock()
			}
		}
	}()
	return func() { close(ended); <-left }
}
