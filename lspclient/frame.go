package lspclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// bodyStep is how much memory a claimed Content-Length gets before bytes of the
// body have arrived.
const bodyStep = 64 << 10

// noiseBlocks is how many times the size of a header block a server may print
// between two messages.
const noiseBlocks = 16

// A frameReader cuts a server's output into message bodies (LSP 3.17 §Base
// Protocol). It forgives what real servers do: lines end in \n or \r\n, a BOM
// stands before a header, log lines stand between messages, with or without a
// line end of their own. It forgives nothing that leaves a message's length in
// doubt.
type frameReader struct {
	r       *bufio.Reader
	header  int   // bytes of one header block
	noise   int   // bytes of other output skipped before a header block
	message int64 // bytes of one body
	log     func(msg string, args ...any)
}

func newFrameReader(r io.Reader, o wireOptions) *frameReader {
	return &frameReader{
		r:       bufio.NewReaderSize(r, 4<<10),
		header:  max(o.HeaderBytes, 64),
		noise:   noiseBlocks * max(o.HeaderBytes, 64),
		message: max(o.MessageBytes, 1),
		log:     o.log,
	}
}

// errHeader marks output that cannot be cut into messages.
var errHeader = errors.New("broken message header")

// next returns the next body in memory of its own, never empty. It returns
// io.EOF at the end between two messages and io.ErrUnexpectedEOF within one.
func (f *frameReader) next() ([]byte, error) {
	for {
		n, err := f.readHeader()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			f.log("empty message skipped")
			continue
		}
		return f.readBody(n)
	}
}

// readHeader skips noise, reads one header block and returns the length of the
// body.
func (f *frameReader) readHeader() (int64, error) {
	length := int64(-1)
	inBlock := false
	left, skipped := f.noise, 0
	for {
		line, err := f.readLine(left)
		switch {
		case errors.Is(err, io.EOF) && !inBlock && !bytes.Contains(line, []byte(contentLength)):
			f.logNoise(line, len(line))
			return 0, io.EOF
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case errors.Is(err, errLineLength) && inBlock:
			return 0, fmt.Errorf("%w: over %d bytes", errHeader, f.header)
		case errors.Is(err, errLineLength):
			return 0, fmt.Errorf("%w: %d bytes of other output", errHeader, f.noise)
		case err != nil:
			return 0, err
		}
		left -= len(line)
		text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte(bom)))
		name, value, isHeader := parseHeader(text)
		if !inBlock && !isHeader {
			if i := headerBehindNoise(line); i > 0 {
				f.logNoise(line[:i], skipped+i)
				name, value, isHeader = parseHeader(line[i:])
			}
		}
		if !inBlock {
			if !isHeader {
				if skipped += len(line); len(text) > 0 {
					f.logNoise(text, skipped)
				}
				continue
			}
			inBlock, left = true, f.header-len(line)
		}
		switch {
		case len(text) == 0:
			if length < 0 {
				return 0, fmt.Errorf("%w: no %s", errHeader, contentLength)
			}
			return length, nil
		case !strings.EqualFold(name, contentLength):
			// Content-Type changes nothing: UTF-8 is the only charset.
		case length >= 0:
			return 0, fmt.Errorf("%w: %s given twice", errHeader, contentLength)
		default:
			if length, err = f.parseLength(value); err != nil {
				return 0, err
			}
		}
	}
}

const (
	contentLength = "Content-Length"
	contentType   = "Content-Type"
	bom           = "\xef\xbb\xbf"
)

// parseHeader splits a line into the name and the value of one of the two header
// fields of the protocol; every other line is noise.
func parseHeader(line []byte) (name, value string, ok bool) {
	name, value, ok = strings.Cut(string(line), ":")
	name = strings.TrimSpace(name)
	if !ok || !strings.EqualFold(name, contentLength) && !strings.EqualFold(name, contentType) {
		return "", "", false
	}
	return name, strings.TrimSpace(value), true
}

// headerBehindNoise returns where a Content-Length field begins behind a log line
// that has no end of its own, or 0. Only the line end of the protocol and bare
// digits tell it from a log line that speaks of the field.
func headerBehindNoise(line []byte) int {
	i := bytes.LastIndex(line, []byte(contentLength+": "))
	digits, ok := bytes.CutSuffix(line[max(i, 0):], []byte("\r\n"))
	if i <= 0 || !ok {
		return 0
	}
	digits = digits[len(contentLength)+2:]
	if len(digits) == 0 || bytes.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' }) {
		return 0
	}
	return i
}

// parseLength reads a Content-Length: digits alone, at most the cap.
func (f *frameReader) parseLength(value string) (int64, error) {
	for _, c := range []byte(value) {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("%w: %s %.20q", errHeader, contentLength, value)
		}
	}
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("a message of %.20s bytes is over the limit of %d", value, f.message)
	case err != nil:
		return 0, fmt.Errorf("%w: %s %.20q", errHeader, contentLength, value)
	case n > f.message:
		return 0, fmt.Errorf("a message of %d bytes is over the limit of %d", n, f.message)
	}
	return n, nil
}

var errLineLength = errors.New("line too long")

// readLine returns the next line with its end, at most limit bytes of it. The
// line may point into the reader's buffer.
func (f *frameReader) readLine(limit int) ([]byte, error) {
	var long []byte
	for {
		part, err := f.r.ReadSlice('\n')
		if len(long)+len(part) > max(limit, 0) {
			return nil, errLineLength
		}
		if err == nil && long == nil {
			return part, nil
		}
		long = append(long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return long, err
		}
	}
}

// readBody reads n bytes; what it allocates grows with what arrived, not with
// what was claimed.
func (f *frameReader) readBody(n int64) ([]byte, error) {
	body := make([]byte, 0, min(n, bodyStep))
	for {
		free := body[len(body):cap(body)]
		got, err := io.ReadFull(f.r, free)
		body = body[:len(body)+got]
		switch {
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case int64(len(body)) == n:
			return body, nil
		}
		more := min(int64(len(body)), n-int64(len(body)))
		body = slices.Grow(body, int(more))
		body = body[:len(body):min(int64(cap(body)), n)]
	}
}

// logNoise logs the start of skipped output and the bytes skipped so far.
func (f *frameReader) logNoise(text []byte, total int) {
	if len(text) > 0 {
		f.log("output that is no message skipped", "text", clip(string(text), 200), "bytes", total)
	}
}
