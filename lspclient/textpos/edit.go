package textpos

// An Edit replaces the bytes [Start, End) of a text by New; Start == End
// inserts.
type Edit struct {
	Start, End int
	New        string
}

// A FileOpKind is a kind of resource operation (LSP 3.17 §WorkspaceEdit).
type FileOpKind string

// The resource operations.
const (
	CreateFile FileOpKind = "create"
	RenameFile FileOpKind = "rename"
	DeleteFile FileOpKind = "delete"
)

// A FileOp is a resource operation; paths are absolute.
type FileOp struct {
	Kind    FileOpKind
	Path    string
	NewPath string // RenameFile only
}
