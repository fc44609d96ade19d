// Package edits checks, orders, applies and shows changes of text. It knows
// nothing of language servers: an edit arrives here as a byte range of a file's
// text, and nothing here writes a file.
//
//   - [Normalize] checks edits and puts them in order, and [Apply] is the only
//     arithmetic that makes new text. One faulty edit refuses them all.
//   - [Unified] draws what changed, for people and for git apply. It compares two
//     texts and never takes part in making one.
//   - [NewPreview] joins them: the text after, the diff, counts, and the digest
//     that names exactly this change.
//   - [Simulate] does that for a change of many files that also makes, moves and
//     deletes some: in order, on a tree that stays as it is.
package edits
