package lspclient

import (
	"errors"
	"io"
	"strconv"

	"go.lsp.dev/jsonrpc2"
)

var errOutputClosed = errors.New("server closed its output")

// A stream reads the messages of a server: framed, repaired, each in memory of
// its own.
type stream struct {
	frames *frameReader
	log    func(msg string, args ...any)
}

func newStream(r io.Reader, o wireOptions) *stream {
	return &stream{frames: newFrameReader(r, o), log: o.log}
}

// next returns the next message. Every error is the end.
func (s *stream) next() (jsonrpc2.Message, error) {
	for {
		body, err := s.frames.next()
		if errors.Is(err, io.EOF) {
			return nil, errOutputClosed
		}
		if err != nil {
			return nil, err
		}
		msg, err := parseMessage(body)
		if err != nil {
			return nil, err
		}
		if msg != nil {
			return msg, nil
		}
		s.log("object that is no message dropped", "text", clip(string(body), 200))
	}
}

// frame makes one frame of the body that appendBody appends (LSP 3.17 §Header
// Part).
func frame(appendBody func(dst []byte) []byte) []byte {
	body := appendBody(nil)
	b := make([]byte, 0, len(body)+32)
	b = append(b, contentLength+": "...)
	b = strconv.AppendInt(b, int64(len(body)), 10)
	b = append(b, "\r\n\r\n"...)
	return append(b, body...)
}
