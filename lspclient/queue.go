package lspclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

var (
	errQueueFull = errors.New("write queue is full")
	errStalled   = errors.New("server does not read its input")
)

// writeStep is the most that one write hands to the pipe, so that the stall
// clock sees a large message move.
const writeStep = 16 << 10

// A queue holds the frames that wait to be written to a server, bounded in count
// and in bytes, and writes them from a goroutine of its own: no caller ever
// waits for a pipe.
type queue struct {
	out     io.Writer
	frames  chan []byte
	room    *semaphore.Weighted // what the frames in hand weigh
	total   int64               // weight that fits
	least   int64               // weight of the smallest frame; makes the weight bound the count
	stall   time.Duration
	stalled func()
	life    context.Context // of the connection; its end empties the queue
	fail    func(error)     // ends the connection
	wg      sync.WaitGroup  // the writer and the stall clock
}

func newQueue(life context.Context, out io.Writer, fail func(error), o wireOptions) *queue {
	count, total := int64(max(o.Queue, 1)), max(o.MessageBytes, 1)
	return &queue{
		out:    out,
		frames: make(chan []byte, count),
		room:   semaphore.NewWeighted(total),
		total:  total, least: (total + count - 1) / count,
		stall: o.Stall, stalled: o.Stalled,
		life: life, fail: fail,
	}
}

// weight of a frame. One that is larger than the queue fits when it is alone.
func (q *queue) weight(frame []byte) int64 {
	return min(max(int64(len(frame)), q.least), q.total)
}

// put queues frame, waiting for room until ctx or the connection ends.
func (q *queue) put(ctx context.Context, frame []byte) error {
	if err := q.tryPut(frame); !errors.Is(err, errQueueFull) {
		return err
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(q.life, cancel)()
	if err := q.room.Acquire(waiting, q.weight(frame)); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return context.Cause(q.life)
	}
	q.frames <- frame
	return nil
}

// tryPut queues frame if there is room now.
func (q *queue) tryPut(frame []byte) error {
	if q.life.Err() != nil {
		return context.Cause(q.life)
	}
	if !q.room.TryAcquire(q.weight(frame)) {
		return errQueueFull
	}
	// The weight admits no more frames than the channel holds: never blocks.
	q.frames <- frame
	return nil
}

// start runs the writer until the connection ends.
func (q *queue) start() {
	q.wg.Go(func() {
		for {
			select {
			case <-q.life.Done():
				return
			case frame := <-q.frames:
				if err := q.write(frame); err != nil {
					q.fail(err)
					return
				}
				q.room.Release(q.weight(frame))
			}
		}
	})
}

// wait returns when no goroutine of the queue is left. The connection must have
// ended, its pipe closed.
func (q *queue) wait() { q.wg.Wait() }

// write hands frame to the pipe, each step of it under the stall clock.
func (q *queue) write(frame []byte) error {
	for len(frame) > 0 {
		stop := q.startClock()
		n, err := q.out.Write(frame[:min(len(frame), writeStep)])
		stop()
		if err != nil {
			return fmt.Errorf("writing to the server: %w", err)
		}
		frame = frame[n:]
	}
	return nil
}

// startClock ends the connection, and tells whoever can kill the process, unless
// it is stopped in time.
func (q *queue) startClock() (stop func()) {
	if q.stall <= 0 {
		return func() {}
	}
	q.wg.Add(1)
	clock := time.AfterFunc(q.stall, func() {
		defer q.wg.Done()
		q.fail(fmt.Errorf("%w: nothing taken for %s", errStalled, q.stall))
		if q.stalled != nil {
			q.stalled()
		}
	})
	return func() {
		if clock.Stop() {
			q.wg.Done()
		}
	}
}
