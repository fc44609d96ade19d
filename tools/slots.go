package tools

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// slots bounds the calls that each owner has under way at once.
type slots struct {
	size int

	mu     sync.Mutex        // guards owners
	owners map[string]*queue // those with a call under way or waiting
}

// A queue holds the slots of one owner.
type queue struct {
	slots chan struct{}
	users int // calls under way or waiting
}

// waitersPerSlot bounds the calls that wait for each slot: what is not even in
// the queue costs nothing.
const waitersPerSlot = 64

func (s *slots) busy(why string) *Error {
	return &Error{
		Class: ClassIncomplete, Code: "busy", Hint: "ask fewer questions at once",
		Message: fmt.Sprintf("%d questions of this session are under way (session_calls), and %s", s.size, why),
	}
}

// take waits for a slot of owner until ctx ends.
func (s *slots) take(ctx context.Context, owner string) (release func(), _ *Error) {
	s.mu.Lock()
	if s.owners == nil {
		s.owners = map[string]*queue{}
	}
	q := s.owners[owner]
	if q == nil {
		q = &queue{slots: make(chan struct{}, s.size)}
		s.owners[owner] = q
	}
	if q.users >= waitersPerSlot*s.size {
		s.mu.Unlock()
		return nil, s.busy("too many wait for their turn")
	}
	q.users++
	s.mu.Unlock()
	leave := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if q.users--; q.users == 0 {
			delete(s.owners, owner)
		}
	}
	select {
	case q.slots <- struct{}{}:
		return func() { <-q.slots; leave() }, nil
	case <-ctx.Done():
		leave()
		e := s.busy("none ended in time")
		if errors.Is(context.Cause(ctx), errEnding) || errors.Is(context.Cause(ctx), context.Canceled) {
			e.Code, e.Hint, e.Message = "cancelled", "", "the question was cancelled"
		}
		return nil, e
	}
}
