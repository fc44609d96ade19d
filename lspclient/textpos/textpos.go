package textpos

// An Encoding names the unit of an LSP character offset (LSP 3.17
// §PositionEncodingKind).
type Encoding string

// The encodings of LSP.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
	UTF32 Encoding = "utf-32"
)

// A Position is a position of LSP: 0-based line, 0-based character in code units
// of an [Encoding].
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// A PositionRange is a range of LSP; End is exclusive.
type PositionRange struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// A Point is a position for people: 1-based line, 1-based column in bytes.
type Point struct {
	Line, Column int
}

// A Mapper converts between the notations for one text. It is immutable and
// safe for concurrent use. A line ends at "\n", "\r\n" or "\r" (LSP 3.17
// §TextDocument). A byte that is not UTF-8 counts as one code unit in every
// encoding; see [Mapper.Sendable].
type Mapper struct{}

// NewMapper returns the mapper of text, which must not change afterwards.
func NewMapper(text []byte) *Mapper { panic("todo") }

// Text returns the text. The caller must not change it.
func (m *Mapper) Text() []byte { panic("todo") }

// Sendable returns the text as a language server is sent it: valid UTF-8, each
// invalid byte replaced by one "?", so that offsets stay as they are.
func (m *Mapper) Sendable() string { panic("todo") }

// ValidUTF8 reports whether the text is valid UTF-8.
func (m *Mapper) ValidUTF8() bool { panic("todo") }

// Lines returns the number of lines; a text that ends in a line end has a last,
// empty line. It is at least 1.
func (m *Mapper) Lines() int { panic("todo") }

// Line returns the text of the 1-based line without BOM and line end, and false
// past the end.
func (m *Mapper) Line(line int) (string, bool) { panic("todo") }

// Offset returns the byte offset of p. A line past the end, and a character
// inside a code point, are errors; a character past the end of its line means
// the line's end (LSP 3.17 §Position).
func (m *Mapper) Offset(p Position, enc Encoding) (int, error) { panic("todo") }

// Position returns the position of a byte offset; an offset inside a code point
// or inside "\r\n" means its start.
func (m *Mapper) Position(offset int, enc Encoding) (Position, error) { panic("todo") }

// Point returns the point of a byte offset.
func (m *Mapper) Point(offset int) (Point, error) { panic("todo") }

// PointOffset returns the byte offset of p. A line past the end is an error; a
// column past the end of the line means the line's end.
func (m *Mapper) PointOffset(p Point) (int, error) { panic("todo") }

// A PointRange is a range between two points; End is exclusive.
type PointRange struct {
	Start, End Point
}
