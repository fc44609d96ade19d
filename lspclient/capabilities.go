package lspclient

// clientCapabilities is all that the bridge advertises: nothing it does not do.
// offsetEncoding at the top and references.container are clangd's extensions;
// positionEncodings is LSP 3.17's.
const clientCapabilities = `{
	"general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"], "markdown": {"parser": "plain"}},
	"offsetEncoding": ["utf-8", "utf-16"],
	"window": {"workDoneProgress": true, "showDocument": {"support": true}, "showMessage": {}},
	"workspace": {
		"applyEdit": false, "configuration": true, "workspaceFolders": true,
		"didChangeConfiguration": {"dynamicRegistration": false},
		"didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
		"diagnostics": {"refreshSupport": true},
		"workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename", "delete"], "failureHandling": "abort"},
		"symbol": {"symbolKind": {"valueSet": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26]}}
	},
	"textDocument": {
		"synchronization": {"didSave": false},
		"definition": {"linkSupport": true}, "declaration": {"linkSupport": true},
		"typeDefinition": {"linkSupport": true}, "implementation": {"linkSupport": true},
		"references": {"container": true},
		"hover": {"contentFormat": ["markdown", "plaintext"]},
		"documentSymbol": {"hierarchicalDocumentSymbolSupport": true,
			"symbolKind": {"valueSet": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26]}},
		"formatting": {}, "rangeFormatting": {},
		"callHierarchy": {}, "typeHierarchy": {},
		"publishDiagnostics": {"versionSupport": true, "relatedInformation": true, "codeDescriptionSupport": true, "tagSupport": {"valueSet": [1, 2]}},
		"diagnostic": {"dynamicRegistration": true, "relatedDocumentSupport": true},
		"rename": {"prepareSupport": true},
		"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite", "source", "source.organizeImports", "source.fixAll"]}},
			"isPreferredSupport": true, "disabledSupport": true, "dataSupport": true, "resolveSupport": {"properties": ["edit"]}},
		"signatureHelp": {"signatureInformation": {"documentationFormat": ["markdown", "plaintext"], "parameterInformation": {"labelOffsetSupport": true}, "activeParameterSupport": true}},
		"completion": {"completionItem": {"snippetSupport": false, "documentationFormat": ["markdown", "plaintext"], "deprecatedSupport": true, "tagSupport": {"valueSet": [1]}, "labelDetailsSupport": true}},
		"documentHighlight": {}, "inlayHint": {}, "codeLens": {}, "foldingRange": {}, "selectionRange": {},
		"documentLink": {"tooltipSupport": true}, "colorProvider": {},
		"semanticTokens": {"requests": {"range": true, "full": true}, "formats": ["relative"], "tokenModifiers": ["declaration", "definition", "readonly", "static", "deprecated", "abstract", "async", "modification", "documentation", "defaultLibrary"],
			"tokenTypes": ["namespace", "type", "class", "enum", "interface", "struct", "typeParameter", "parameter", "variable", "property", "enumMember", "event", "function", "method", "macro", "keyword", "modifier", "comment", "string", "number", "regexp", "operator", "decorator", "label"]}
	}
}`
