package textpos

// An Edit replaces the bytes [Start, End) of a text by New; Start == End
// inserts.
type Edit struct {
	Start, End int
	New        string
}

// A FileOpKind is a kind of resource operation (LSP 3.17 §resourceChanges).
type FileOpKind string

// The resource operations.
const (
	CreateFile FileOpKind = "create"
	RenameFile FileOpKind = "rename"
	DeleteFile FileOpKind = "delete"
)

// A FileOp is a resource operation on a file or, but for [CreateFile], a folder.
// Whether its paths are absolute or relative says whoever makes it.
type FileOp struct {
	Kind    FileOpKind
	Path    string
	NewPath string // RenameFile only

	Overwrite         bool // create, rename: what is at the (new) path goes; before IgnoreIfExists
	IgnoreIfExists    bool // create, rename: then nothing is done
	Recursive         bool // delete: a folder with all that is in it
	IgnoreIfNotExists bool // delete: then nothing is done
}
