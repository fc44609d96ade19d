package lspclient

import (
	"context"
	"errors"
	"io"
	"strconv"

	"go.lsp.dev/jsonrpc2"
)

// A stream is the jsonrpc2.Stream of a connection: messages in, repaired, from a
// frameReader; messages out by way of a queue.
type stream struct {
	in      *frameReader
	out     *queue
	eof     func(error) // the reader has come to its end
	closing func()      // closes both pipes; does not wait
	log     func(msg string, args ...any)
}

var _ jsonrpc2.Stream = (*stream)(nil)

var errOutputClosed = errors.New("server closed its output")

// Read returns the next message, in memory of its own. Every error is the end.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		body, err := s.in.next()
		if err != nil {
			return nil, 0, s.end(err)
		}
		msg, err := parseMessage(body)
		switch {
		case err != nil:
			return nil, 0, s.end(err)
		case msg == nil:
			s.log("object that is no message dropped", "text", clip(string(body), 200))
			continue
		}
		if r, ok := msg.(*jsonrpc2.Response); ok && !r.ID().IsNumber() {
			// It answers no call: those have numbers.
			s.log("reply without an id of ours dropped", "err", r.Err())
			continue
		}
		return msg, int64(len(body)), nil
	}
}

func (s *stream) end(err error) error {
	if errors.Is(err, io.EOF) {
		err = errOutputClosed
	}
	s.eof(err)
	return err
}

// Write queues a call, which waits for room until its context ends, or a reply.
func (s *stream) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	if slots, ok := ctx.Value(slotsKey{}).(chan struct{}); ok {
		// It is a reply: its request is done with. The slot is missing when the
		// connection ended before the request got one.
		defer func() {
			select {
			case <-slots:
			default:
			}
		}()
	}
	b := frame(func(dst []byte) []byte { return jsonrpc2.AppendMessage(dst, msg) })
	if err := s.out.put(ctx, b); err != nil {
		return 0, err
	}
	return int64(len(b)), nil
}

// Close closes both pipes; it does not wait.
func (s *stream) Close() error {
	s.closing()
	return nil
}

// frame puts the header before a body (LSP 3.17 §Header Part).
func frame(appendBody func(dst []byte) []byte) []byte {
	body := appendBody(nil)
	b := make([]byte, 0, len(body)+32)
	b = append(b, contentLength+": "...)
	b = strconv.AppendInt(b, int64(len(body)), 10)
	b = append(b, "\r\n\r\n"...)
	return append(b, body...)
}
