package tools

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"

	"lspbridge/limits/confine"
)

// A cursor says where a page starts. It holds no secret and outlives the bridge:
// what it is bound to is asked again for each page, and must be the same.
type cursor struct {
	workspace digest // the roots
	question  digest // tool and arguments, without those of paging
	answer    digest // the whole ordered answer
	offset    uint32 // items before the page
}

// A digest is the start of a SHA-256.
type digest [8]byte

func digestOf(h hash.Hash) digest { return digest(h.Sum(nil)[:8]) }

// cursorVersion begins every cursor; a change of the form changes it.
const cursorVersion = 1

// cursorBytes is the length of a cursor: version, three digests, offset and a
// check sum, which tells a mistyped cursor from one of another question.
const cursorBytes = 1 + 3*8 + 4 + 4

// String returns the cursor in URL-safe base64.
func (c cursor) String() string {
	b := []byte{cursorVersion}
	b = append(b, c.workspace[:]...)
	b = append(b, c.question[:]...)
	b = append(b, c.answer[:]...)
	b = binary.BigEndian.AppendUint32(b, c.offset)
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(append(b, sum[:4]...))
}

// parseCursor reads a cursor; one that no answer gave is an error.
func parseCursor(text string) (cursor, *Error) {
	bad := usagef("bad_cursor", "use a cursor exactly as an answer gave it, or leave it out for the first page", "the cursor is damaged")
	if len(text) != base64.RawURLEncoding.EncodedLen(cursorBytes) {
		return cursor{}, bad
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != cursorBytes || b[0] != cursorVersion {
		return cursor{}, bad
	}
	body, sum := b[:cursorBytes-4], sha256.Sum256(b[:cursorBytes-4])
	if [4]byte(b[cursorBytes-4:]) != [4]byte(sum[:4]) {
		return cursor{}, bad
	}
	return cursor{
		workspace: digest(body[1:9]), question: digest(body[9:17]), answer: digest(body[17:25]),
		offset: binary.BigEndian.Uint32(body[25:29]),
	}, nil
}

// check refuses a cursor that is not of the question and the answer now.
func (c cursor) check(now cursor, total int) *Error {
	switch {
	case c.workspace != now.workspace:
		return usagef("foreign_cursor", "leave the cursor out for the first page", "the cursor is of another workspace")
	case c.question != now.question:
		return usagef("foreign_cursor", "repeat the arguments of the first page, or leave the cursor out", "the cursor is of another question")
	case c.answer != now.answer:
		return usagef("changed_answer", "leave the cursor out and start at the first page again", "the answer has changed since the cursor was given")
	case int64(c.offset) >= int64(total):
		return usagef("bad_cursor", "leave the cursor out for the first page", "the cursor points past the answer's end")
	}
	return nil
}

// workspaceDigest stands for the roots of a workspace.
func workspaceDigest(w *confine.Workspace) digest {
	h := sha256.New()
	for _, r := range w.Roots() {
		writeParts(h, r.Canonical)
	}
	return digestOf(h)
}

// writeParts hashes texts so that none can run into the next.
func writeParts(h hash.Hash, parts ...string) {
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:]) // a hash never fails
		h.Write([]byte(p))
	}
}

func digestTexts(parts ...string) digest {
	h := sha256.New()
	writeParts(h, parts...)
	return digestOf(h)
}
