package lspclient

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lspbridge/lspclient/textpos"
)

// A handshake is what a server said of itself in its answer to initialize.
type handshake struct {
	encoding     textpos.Encoding
	capabilities map[string]json.RawMessage
	version      string // of serverInfo; often empty
}

// initialize performs the handshake of LSP 3.17 §initialize. Parameters and
// result travel as raw JSON: the typed structs drop vendor fields both ways.
func initialize(ctx context.Context, w wire, folders []workspaceFolder, options json.RawMessage) (handshake, error) {
	var root any
	if len(folders) > 0 {
		root = folders[0].URI
	}
	params := map[string]any{
		"processId":        os.Getpid(),
		"clientInfo":       map[string]string{"name": "lspbridge"},
		"rootUri":          root,
		"workspaceFolders": folders,
		"capabilities":     json.RawMessage(clientCapabilities),
	}
	if len(options) > 0 {
		params["initializationOptions"] = options
	}
	raw, err := w.call(ctx, protocol.MethodInitialize, params)
	if err != nil {
		return handshake{}, err
	}
	var result struct {
		Capabilities   map[string]json.RawMessage `json:"capabilities"`
		OffsetEncoding string                     `json:"offsetEncoding"`
		ServerInfo     struct {
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return handshake{}, fmt.Errorf("the answer to initialize cannot be read: %w", err)
	}
	h := handshake{encoding: textpos.UTF16, capabilities: result.Capabilities, version: result.ServerInfo.Version}
	chosen := result.OffsetEncoding
	if e := result.Capabilities["positionEncoding"]; len(e) > 0 {
		if err := json.Unmarshal(e, &chosen); err != nil {
			return handshake{}, fmt.Errorf("the position encoding cannot be read: %w", err)
		}
	}
	switch e := textpos.Encoding(strings.ToLower(chosen)); e {
	case "":
	case textpos.UTF8, textpos.UTF16, textpos.UTF32:
		h.encoding = e
	default:
		return handshake{}, fmt.Errorf("the server chose the unknown position encoding %q", oneLine(chosen))
	}
	return h, w.notify(protocol.MethodInitialized, struct{}{})
}

// providers names the capability that announces each method the bridge asks for.
var providers = map[string]string{
	protocol.MethodTextDocumentDefinition:           "definitionProvider",
	protocol.MethodTextDocumentDeclaration:          "declarationProvider",
	protocol.MethodTextDocumentTypeDefinition:       "typeDefinitionProvider",
	protocol.MethodTextDocumentImplementation:       "implementationProvider",
	protocol.MethodTextDocumentReferences:           "referencesProvider",
	protocol.MethodTextDocumentPrepareCallHierarchy: "callHierarchyProvider",
	protocol.MethodTextDocumentPrepareTypeHierarchy: "typeHierarchyProvider",
	protocol.MethodTextDocumentHover:                "hoverProvider",
	protocol.MethodTextDocumentDocumentSymbol:       "documentSymbolProvider",
	protocol.MethodWorkspaceSymbol:                  "workspaceSymbolProvider",
	protocol.MethodTextDocumentDiagnostic:           "diagnosticProvider",
	protocol.MethodTextDocumentFormatting:           "documentFormattingProvider",
	protocol.MethodTextDocumentRangeFormatting:      "documentRangeFormattingProvider",
	protocol.MethodTextDocumentRename:               "renameProvider",
	protocol.MethodTextDocumentCodeAction:           "codeActionProvider",
	protocol.MethodTextDocumentSignatureHelp:        "signatureHelpProvider",
	protocol.MethodTextDocumentCompletion:           "completionProvider",
	protocol.MethodTextDocumentDocumentHighlight:    "documentHighlightProvider",
	protocol.MethodTextDocumentInlayHint:            "inlayHintProvider",
	protocol.MethodTextDocumentCodeLens:             "codeLensProvider",
	protocol.MethodTextDocumentFoldingRange:         "foldingRangeProvider",
	protocol.MethodTextDocumentSelectionRange:       "selectionRangeProvider",
	protocol.MethodTextDocumentDocumentLink:         "documentLinkProvider",
	protocol.MethodTextDocumentSemanticTokensFull:   "semanticTokensProvider",
	protocol.MethodTextDocumentDocumentColor:        "colorProvider",
}

// announces reports whether the server said in initialize that it has method.
func (h handshake) announces(method string) bool {
	v := strings.TrimSpace(string(h.capabilities[providers[method]]))
	return v != "" && v != "null" && v != "false"
}

// methods lists what the server announced, of what the bridge can ask.
func (h handshake) methods() []string {
	var out []string
	for m := range providers {
		if h.announces(m) {
			out = append(out, m)
		}
	}
	slices.Sort(out)
	return out
}
