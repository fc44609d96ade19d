package lspclient

import (
	"context"
	"encoding/json"
)

// Raw sends a request to a server as it is, past everything that the package
// does before a question.
func (p *Pool) Raw(ctx context.Context, server, method string, params any) (json.RawMessage, error) {
	sess, err := p.servers[server].session(ctx)
	if err != nil {
		return nil, err
	}
	return sess.conn.call(ctx, method, params)
}

// TakesIn is takesIn.
var TakesIn = takesIn

// Run returns the process id and the generation of a server that runs, 0 if none
// does.
func (p *Pool) Run(server string) (pid, generation int) {
	s := p.servers[server]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return 0, 0
	}
	return s.current.proc.PID(), s.current.gen
}
