package acceptance_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspbridge/lspclient/lsptest"
)

// TestSDKClient: the client of the MCP SDK gets the same answers, at each
// revision, from both language servers in one bridge.
func TestSDKClient(t *testing.T) {
	gopls, clangd := lsptest.Require(t, "gopls"), lsptest.Require(t, "clangd-22")
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(path, "serve", "--trust")
			cmd.Dir, cmd.Env = cppWorkspace(t, cppProject+goProject, "shape.cpp", "use.cpp"), newHome(t, gopls, clangd).environ()
			client := mcp.NewClient(&mcp.Implementation{Name: "acceptance", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := session.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			if got := session.InitializeResult().ProtocolVersion; got != revision {
				t.Errorf("negotiated %s, want %s", got, revision)
			}
			listed, err := session.ListTools(t.Context(), nil)
			if err != nil || len(listed.Tools) < 8 {
				t.Fatalf("tools: %v, error %v", listed, err)
			}
			for _, q := range []question{
				{"find_definition", map[string]any{"file": "sub/use.go", "line": 9, "name": "Square"}, []string{"shape.go:11:6"}},
				{"find_references", map[string]any{"symbol": "Square", "language": "go"}, []string{"shape.go:11:6", "shape.go:14:9", "sub/use.go:9:19"}},
				{"find_implementations", map[string]any{"file": "shape.go", "line": 6, "column": 6}, []string{"shape.go:11:6"}},
				{"find_definition", map[string]any{"file": "use.cpp", "line": 6, "name": "area"}, []string{"shape.cpp:2:13"}},
				{"find_references", map[string]any{"file": "shape.h", "line": 6, "name": "Square"}, []string{"shape.cpp:2:5", "shape.h:6:8", "use.cpp:6:14"}},
				{"document_symbols", map[string]any{"file": "shape.cpp"}, []string{"shape.cpp:2:13"}},
			} {
				r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: q.tool, Arguments: q.args})
				if err != nil {
					t.Fatalf("%s %v: %v", q.tool, q.args, err)
				}
				raw, err := json.Marshal(r.StructuredContent)
				if err != nil {
					t.Fatal(err)
				}
				var got list
				if err := json.Unmarshal(raw, &got); err != nil || r.IsError || strings.Join(got.places(), " ") != strings.Join(q.want, " ") {
					t.Errorf("%s %v: %s, want %v", q.tool, q.args, raw, q.want)
				}
			}
		})
	}
}
