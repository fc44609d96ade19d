package tools

import (
	"encoding/json"
)

// A Definition is one tool of the catalogue, for tools/list and its printers.
type Definition struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	ReadOnly     bool
}

// A tool is one entry of the catalogue and its handler.
type tool struct {
	name, title string
	desc        string
	params      []param
	output      string // JSON Schema
	run         func(q *question) (reply, error)
}

func (t tool) definition() Definition {
	return Definition{
		Name: t.name, Title: t.title, Description: t.desc,
		InputSchema: inputSchema(t.params), OutputSchema: json.RawMessage(t.output),
		ReadOnly: true,
	}
}

// catalogue holds the core tools in the order of their names, in which tools/list
// has them too.
func catalogue() []tool {
	return []tool{
		callHierarchyTool(),
		diagnosticsTool(),
		outlineTool(),
		definitionTool(),
		implementationsTool(),
		referencesTool(),
		hoverTool(),
		codeActionsTool(),
		formatTool(),
		renameTool(),
		statusTool(),
		contextTool(),
		typeHierarchyTool(),
		symbolsTool(),
	}
}

// Catalogue lists the tools of the core toolset in their fixed order.
func Catalogue() []Definition { return Core.Catalogue() }
