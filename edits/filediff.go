package edits

import (
	"bytes"
	"fmt"
	"strings"
)

// A patch says which file a diff is about, as git's extended header has it.
type patch struct {
	from, to         string
	created, deleted bool
}

// newMode is the mode that a patch names for a file it makes or removes: the
// mode of a file is not known here, and git apply takes this one for any.
const newMode = "100644"

// fileDiff is the unified diff of one file of several, with git's extended
// header: a file that is made, removed or moved, also as it is.
func fileDiff(p patch, before, after []byte, context int) Diff {
	if p.from == p.to && !p.created && !p.deleted && bytes.Equal(before, after) {
		return Diff{}
	}
	var w strings.Builder
	old, renewed := quoteName("a/"+p.from), quoteName("b/"+p.to)
	fmt.Fprintf(&w, "diff --git %s %s\n", old, renewed)
	switch {
	case p.created:
		old = "/dev/null"
		fmt.Fprintf(&w, "new file mode %s\n", newMode)
	case p.deleted:
		renewed = "/dev/null"
		fmt.Fprintf(&w, "deleted file mode %s\n", newMode)
	case p.from != p.to:
		fmt.Fprintf(&w, "rename from %s\nrename to %s\n", quoteName(p.from), quoteName(p.to))
	}
	var d Diff
	if !bytes.Equal(before, after) {
		names(&w, old, renewed)
		d = hunks(&w, before, after, context)
	}
	d.Text = w.String()
	return d
}

// movedDiff is the diff of a file that is moved as it is.
func movedDiff(from, to string) Diff {
	var w strings.Builder
	fmt.Fprintf(&w, "diff --git %s %s\nsimilarity index 100%%\nrename from %s\nrename to %s\n",
		quoteName("a/"+from), quoteName("b/"+to), quoteName(from), quoteName(to))
	return Diff{Text: w.String()}
}
