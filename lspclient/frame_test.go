package lspclient

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// testFrames are the limits that the tests of frames use.
func testFrames() wireOptions { return wireOptions{MessageBytes: 1000, HeaderBytes: 128, Queue: 4} }

// readFrames reads all bodies and the error that ended them.
func readFrames(f *frameReader) (bodies []string, err error) {
	for {
		body, err := f.next()
		if err != nil {
			return bodies, err
		}
		bodies = append(bodies, string(body))
	}
}

func TestFrameReader(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1000)
	for _, c := range []struct {
		name, in string
		want     []string
		end      error // what it wraps
		says     string
	}{
		{"nothing", "", nil, io.EOF, ""},
		{"two", "Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n{ }", []string{"{}", "{ }"}, io.EOF, ""},
		{"content type", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF, ""},
		{"unknown field", "Content-Length: 2\r\nX-Server: 1\r\n\r\n{}", []string{"{}"}, io.EOF, ""},
		{"case and space", "content-length:2 \r\n\r\n{}", []string{"{}"}, io.EOF, ""},
		{"bare newlines", "Content-Length: 2\n\n{}", []string{"{}"}, io.EOF, ""},
		{"BOM", "\ufeffContent-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF, ""},
		{"empty message", "Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF, ""},
		{"log lines", "starting\nINFO: ready\n\nContent-Length: 2\r\n\r\n{}bye\r\n", []string{"{}"}, io.EOF, ""},
		{"log line without an end", "warning: xContent-Length: 2\r\n\r\n{}yContent-Length: 3\r\n\r\n{ }", []string{"{}", "{ }"}, io.EOF, ""},
		{"log line about the field", "got Content-Length: 7\nbad Content-Length\r\nContent-Length: 2\r\n\r\n{}", []string{"{}"}, io.EOF, ""},
		{"at the limit", "Content-Length: 1000\r\n\r\n" + long, []string{long}, io.EOF, ""},
		{"leading zeros", "Content-Length: 0002\r\n\r\n{}", []string{"{}"}, io.EOF, ""},

		{"over the limit", "Content-Length: 1001\r\n\r\n" + long + "x", nil, nil, "1001 bytes is over the limit of 1000"},
		{"huge", "Content-Length: 99999999999999999999999\r\n\r\n", nil, nil, "over the limit of 1000"},
		{"negative", "Content-Length: -1\r\n\r\n{}", nil, errHeader, "-1"},
		{"signed", "Content-Length: +2\r\n\r\n{}", nil, errHeader, "+2"},
		{"hexadecimal", "Content-Length: 0x2\r\n\r\n{}", nil, errHeader, "0x2"},
		{"no number", "Content-Length: \r\n\r\n{}", nil, errHeader, ""},
		{"twice", "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", nil, errHeader, "twice"},
		{"no length", "Content-Type: text/plain\r\n\r\n{}", nil, errHeader, "no Content-Length"},
		{"long header", "Content-Length: 2\r\nX: " + long + "\r\n\r\n{}", nil, errHeader, "over 128 bytes"},
		{"many fields", "Content-Length: 2\r\n" + strings.Repeat("X: y\r\n", 100) + "\r\n{}", nil, errHeader, "over 128 bytes"},
		{"endless noise", strings.Repeat("a log line\n", 1000), nil, errHeader, "other output"},
		{"endless line", strings.Repeat("x", 1<<20), nil, errHeader, "other output"},
		{"end in the header", "Content-Length: 2\r\n", nil, io.ErrUnexpectedEOF, ""},
		{"end in the field", "Content-Length: 2", nil, io.ErrUnexpectedEOF, ""},
		{"end before the body", "Content-Length: 2\r\n\r\n", nil, io.ErrUnexpectedEOF, ""},
		{"end in the body", "Content-Length: 3\r\n\r\n{}", nil, io.ErrUnexpectedEOF, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
				got, err := readFrames(newFrameReader(r, testFrames()))
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("bodies (-want +got):\n%s", diff)
				}
				if c.end != nil && !errors.Is(err, c.end) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("ended with %v; want %v with %q", err, c.end, c.says)
				}
			}
		})
	}
}

// TestFrameMemory: a claim costs nothing until the bytes are there.
func TestFrameMemory(t *testing.T) {
	const claim = 256 << 20
	in := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", claim, strings.Repeat(" ", 100<<10))
	f := newFrameReader(strings.NewReader(in), wireOptions{MessageBytes: claim, HeaderBytes: 128})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := f.next()
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
		t.Errorf("100 KiB of a claimed %d bytes cost %d bytes", claim, got)
	}
}

// TestFrameOwned: the memory of one body is not used again for the next.
func TestFrameOwned(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("b", 300<<10)
	in := "Content-Length: 4\r\n\r\naaaa" + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(big), big) + "Content-Length: 4\r\n\r\ncccc"
	f := newFrameReader(strings.NewReader(in), wireOptions{MessageBytes: 1 << 20, HeaderBytes: 128})
	first, err := f.next()
	if err != nil {
		t.Fatal(err)
	}
	second, err := f.next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.next(); err != nil {
		t.Fatal(err)
	}
	if string(first) != "aaaa" || string(second) != big {
		t.Error("an earlier body changed")
	}
}
