package tools

import (
	"context"
	"time"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

// A Navigator leads from a place to other places.
type Navigator interface {
	Definition(context.Context, confine.File, lspclient.Locate, lspclient.DefinitionKind) (lspclient.Locations, error)
	Implementations(context.Context, confine.File, lspclient.Locate) (lspclient.Locations, error)
	References(ctx context.Context, f confine.File, at lspclient.Locate, includeDeclaration bool) (lspclient.Locations, error)
}

// An Outliner knows what is declared where.
type Outliner interface {
	DocumentSymbols(context.Context, confine.File) (lspclient.Symbols, error)
	WorkspaceSymbols(ctx context.Context, server, query string) (lspclient.Symbols, error)
}

// A Describer says what a thing is and how a file should look.
type Describer interface {
	Hover(context.Context, confine.File, lspclient.Locate) (lspclient.Hover, error)
	Formatting(context.Context, confine.File, *textpos.PointRange) (lspclient.Formatting, error)
}

// A Diagnoser knows what is wrong with files, and which there are to ask about.
type Diagnoser interface {
	Diagnostics(ctx context.Context, f confine.File, settle time.Duration) (lspclient.FileDiagnostics, error)
	DiagnosticFiles(context.Context) (files []confine.File, skipped []string, err error)
}

// A Changer knows what would change if somebody changed it.
type Changer interface {
	Rename(ctx context.Context, f confine.File, at lspclient.Locate, newName string) (lspclient.WorkspaceEdit, error)
	CodeActions(ctx context.Context, f confine.File, within textpos.PointRange, only []string) (lspclient.CodeActions, error)
}

// A Directory knows the servers and the files of the workspace.
type Directory interface {
	ServerFor(confine.File) (server, language string, ok bool)
	Languages(context.Context) ([]lspclient.Language, error)
	FilesHolding(ctx context.Context, server, name string, max int) ([]confine.File, error)
}

// A Fleet is the set of servers as a whole.
type Fleet interface {
	Warm()
	Ready(context.Context) ([]lspclient.Readiness, error)
	Status(context.Context) ([]lspclient.ServerStatus, error)
	Watching() (folders int, why string)
}

// Servers are the language servers of a workspace, as [*lspclient.Pool] has
// them.
type Servers interface {
	Navigator
	Outliner
	Describer
	Annotator
	Hierarchist
	Diagnoser
	Changer
	Directory
	Fleet
}
