package lsptest

import (
	"io"
	"sync"
	"testing"
)

// A Fake is a fake language server in the test's own process, behind two pipes
// without any buffer.
type Fake struct {
	*Recorder
	In  io.WriteCloser // its stdin
	Out io.ReadCloser  // its stdout

	release func()
	done    chan struct{}
	err     error // set before done
}

// Start starts a fake server in process. It ends with the test at the latest.
func Start(t testing.TB, script Script) *Fake {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	released := make(chan struct{})
	f := &Fake{
		Recorder: newRecorder(), In: inW, Out: outR,
		release: sync.OnceFunc(func() { close(released) }),
		done:    make(chan struct{}),
	}
	s := &server{script: script, out: outW, stderr: io.Discard, record: f.add, release: released}
	go func() {
		defer close(f.done)
		f.err = s.serve(inR)
		inR.Close()
		outW.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		if s.isDeaf() {
			s.end(nil)
		}
		<-f.done
	})
	return f
}

// Release lets every Hold of the script pass, also those to come.
func (f *Fake) Release() { f.release() }

// Done is closed when the server has ended.
func (f *Fake) Done() <-chan struct{} { return f.done }

// Err says, after Done, how the server ended: nil at the end of its input, an
// error after a scripted exit or when the client broke the protocol.
func (f *Fake) Err() error { return f.err }
