package tools

import (
	"context"

	"lspbridge/lspclient"
)

// A ServerReady says how ready one language server is.
type ServerReady struct {
	Server       string       `json:"server"`
	Version      string       `json:"version,omitempty"`
	Files        int          `json:"files"` // of the workspace that are the server's
	Ready        bool         `json:"ready"` // its answers across files are complete
	TookMS       int64        `json:"took_ms"`
	Completeness completeness `json:"completeness"`
	Err          *Error       `json:"error,omitempty"` // why it cannot be asked
}

// Ready starts the servers whose files the workspace has and waits until they
// are ready, at most limits.CallTotal. The error, an [*Error], is of the
// workspace; that of one server stands beside the others.
func (b *Bridge) Ready(ctx context.Context, progress lspclient.Progress) (list []ServerReady, err error) {
	ctx, cancel := context.WithTimeout(ctx, b.limits.CallTotal)
	defer cancel()
	defer func() {
		if err != nil {
			err = b.toError(ctx, err)
		}
	}()
	defer b.recovered(&err)
	if err := b.admit(); err != nil {
		return nil, err
	}
	found, err := b.pool.Ready(b.reporting(ctx, progress))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, noServer()
	}
	q := &question{ctx: ctx, b: b}
	for _, r := range found {
		s := ServerReady{Server: r.Server, Version: oneLine(b.redact.Error(r.Version)), Files: r.Files, TookMS: r.Took.Milliseconds()}
		if r.Err != nil {
			s.Err = b.toError(ctx, r.Err)
			r.Completeness = lspclient.Completeness{State: lspclient.Unknown, Reasons: []string{s.Err.Message}}
		}
		s.Completeness = q.complete(r.Completeness)
		s.Ready = s.Completeness.State == lspclient.Complete
		list = append(list, s)
	}
	return list, nil
}

// noServer is the error of a workspace that no server has files in.
func noServer() *Error {
	return &Error{
		Class: ClassServer, Code: string(lspclient.CodeNoServer), Message: "the workspace has no file of a known language",
		Hint: "choose another workspace, or name the language's server in servers.json",
	}
}
