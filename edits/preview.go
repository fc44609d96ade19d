package edits

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"lspbridge/lspclient/textpos"
)

// A Preview is a change of one file that nobody has made yet.
type Preview struct {
	Path  string         // as given
	Edits []textpos.Edit // normalized; none when there is nothing to do
	After []byte         // the text with the edits applied
	Diff  Diff

	InsertedBytes int // of all edits
	DeletedBytes  int // of all edits; replaced bytes included

	// Digest names this change alone: the path, the text before and the edits.
	// See [Digest].
	Digest string
	// NothingToDo is true when the text would stay as it is: no edits, empty
	// ones, or edits that put back what they take.
	NothingToDo bool
}

// NewPreview checks edits of the text before and returns what they would do to
// the file path; context is the number of lines around a change of the diff. The
// errors are those of [Normalize] and [Unified].
func NewPreview(path string, before []byte, es []textpos.Edit, context int) (Preview, error) {
	normal, err := Normalize(len(before), es)
	if err != nil {
		return Preview{}, err
	}
	after, err := Apply(before, normal)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Path: path, After: after, NothingToDo: bytes.Equal(before, after)}
	if !p.NothingToDo {
		p.Edits = normal
	}
	for _, e := range p.Edits {
		p.InsertedBytes += len(e.New)
		p.DeletedBytes += e.End - e.Start
	}
	p.Digest = Digest(path, before, p.Edits)
	if p.Diff, err = Unified(path, before, after, context); err != nil {
		return Preview{}, fmt.Errorf("preview: %w", err)
	}
	return p, nil
}

// Digest returns the SHA-256, in lower-case hexadecimal, of a change: the path,
// the text it is for, and its edits in their order. Each part stands behind its
// length, so that two changes share a digest only when they are the same.
func Digest(path string, before []byte, es []textpos.Edit) string {
	h := sha256.New()
	var number [8]byte
	count := func(n int) {
		binary.BigEndian.PutUint64(number[:], uint64(n))
		h.Write(number[:])
	}
	count(len(path))
	h.Write([]byte(path))
	text := sha256.Sum256(before)
	h.Write(text[:])
	count(len(es))
	for _, e := range es {
		count(e.Start)
		count(e.End)
		count(len(e.New))
		h.Write([]byte(e.New))
	}
	return hex.EncodeToString(h.Sum(nil))
}
