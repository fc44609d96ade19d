package tools

import (
	"slices"
	"strings"
)

// A Toolset says which tools a bridge offers.
type Toolset string

// The toolsets.
const (
	Core Toolset = "core" // what most questions need; the zero value means it too
	Full Toolset = "full" // and what editors ask besides
)

// Toolsets are the names of the toolsets, the smallest first.
func Toolsets() []string { return []string{string(Core), string(Full)} }

// editorTools are the tools that only the full toolset has.
func editorTools() []tool {
	return []tool{
		lensTool(),
		completionTool(),
		colorTool(),
		highlightTool(),
		linkTool(),
		foldingTool(),
		hintTool(),
		selectionTool(),
		tokenTool(),
		signatureTool(),
	}
}

// tools lists the toolset in the order of the names.
func (s Toolset) tools() []tool {
	list := catalogue()
	if s == Full {
		list = append(list, editorTools()...)
		slices.SortFunc(list, func(a, b tool) int { return strings.Compare(a.name, b.name) })
	}
	return list
}

// Catalogue lists the tools of the toolset in their fixed order.
func (s Toolset) Catalogue() []Definition {
	var list []Definition
	for _, t := range s.tools() {
		list = append(list, t.definition())
	}
	return list
}

// notServed is the error of a tool that another toolset has, nil for any other
// name.
func (s Toolset) notServed(name string) *Error {
	if s != Full && slices.ContainsFunc(editorTools(), func(t tool) bool { return t.name == name }) {
		return usagef("not_served", "", "%s is in the full toolset; serve with --toolset full", name)
	}
	return nil
}
