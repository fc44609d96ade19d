// Package textpos owns all position arithmetic of the bridge. Four notations
// meet here, and nowhere else:
//
//	Offset    0-based, bytes of the file as it is on disk (BOM and CR included)
//	Position  0-based line and character of LSP 3.18 §Position; a character is a
//	          code unit of the negotiated encoding (UTF-8, UTF-16 or UTF-32)
//	Point     1-based line and column; a column counts bytes of the line's UTF-8
//	          text; a BOM counts as no column; line ends belong to no column
//	Range     half-open: its end is exclusive, in every notation
//
// It also owns byte-range edits, file operations and the mapping between file
// URIs and paths. It is a leaf: it imports the standard library alone.
package textpos
