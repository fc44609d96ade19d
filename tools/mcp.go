package tools

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspbridge/lspclient"
)

//go:embed instructions.md
var instructions string

// programName names the server to clients.
const programName = "lspbridge"

// newServer returns an MCP server of the bridge whose calls belong to owner.
func (b *Bridge) newServer(owner string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: programName, Title: "Language servers", Version: b.version}, &mcp.ServerOptions{
		Instructions: instructions,
		Logger:       slog.New(slog.DiscardHandler),
		// Tools that never change, and nothing else: not even logging.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		PageSize:     len(b.tools) + 1,
	})
	for _, d := range b.toolset.Catalogue() {
		s.AddTool(&mcp.Tool{
			Name: d.Name, Description: d.Description,
			InputSchema: d.InputSchema, OutputSchema: outlineSchema(d.OutputSchema),
			Annotations: annotations(d),
		}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return b.callTool(ctx, req, d.Name, owner), nil
		})
	}
	s.AddReceivingMiddleware(b.guard)
	return s
}

// annotations states all four hints: clients take an absent one for the worse.
func annotations(d Definition) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{
		ReadOnlyHint: d.ReadOnly, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no,
	}
}

// served are the requests that the server answers: those of the capabilities it
// declares. The SDK would answer others, too.
func served(method string) bool {
	switch method {
	case "initialize", "server/discover", "ping", "tools/list", "tools/call",
		"notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed":
		return true
	}
	return false
}

// maxToolName bounds the name that an error of an unknown tool repeats.
const maxToolName = 64

// guard stands before every request: methods that nobody declared are not there,
// and a panic ends one request only. The first request of a trusted workspace
// warms its servers.
func (b *Bridge) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				b.log.Error("panic", "method", method, "value", fmt.Sprint(v), "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the request failed inside the bridge"}
			}
		}()
		if !served(method) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("%q is not supported: this server has tools only", method)}
		}
		if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok {
			if len(p.Name) > maxToolName {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool, with a name over 64 bytes"}
			}
			if e := b.toolset.notServed(p.Name); e != nil {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: e.Message}
			}
		}
		res, err = next(ctx, method, req)
		b.warmUp()
		return res, err
	}
}

// callTool answers tools/call.
func (b *Bridge) callTool(ctx context.Context, req *mcp.CallToolRequest, name, owner string) *mcp.CallToolResult {
	r := b.Call(ctx, Call{Tool: name, Args: req.Params.Arguments, Owner: owner, Progress: progressOf(ctx, req)})
	if r.Err != nil {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: r.Err.Text()}}}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Text}}, StructuredContent: r.Structured}
}

// progressInterval is the least time between two notifications of one call.
const progressInterval = 200 * time.Millisecond

// progressOf reports what a call waits for to a client that asked to be told.
func progressOf(ctx context.Context, req *mcp.CallToolRequest) lspclient.Progress {
	token := req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	var mu sync.Mutex // guards what follows: servers report beside each other
	var said string
	var last time.Time
	n := 0
	return func(text string, _, _ int) {
		mu.Lock()
		defer mu.Unlock()
		if text == said || n > 0 && time.Since(last) < progressInterval || ctx.Err() != nil {
			return
		}
		// The number must rise with each notification (MCP §progress); counters of
		// several waits would not, so it counts the notifications.
		n++
		said, last = text, time.Now()
		// A client that is gone is noticed elsewhere.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(n), Message: text})
	}
}
