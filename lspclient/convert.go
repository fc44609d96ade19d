package lspclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A converter turns what a server said about places into the bridge's own
// types, for one attempt. It holds the text of one file at a time, and of the
// others what tells whether they changed: an answer may name very many.
type converter struct {
	a       *attempt
	locate  *confine.Locator
	seen    map[confine.File]*placeFile
	file    *placeFile      // the one whose text is held
	text    *textpos.Mapper // of file
	abs     string          // the last place outside the workspace
	outside *textpos.Mapper // its text; nil when it cannot be read
	number  int             // the last line that was copied from text
	line    string
	spent   int  // bytes of lines copied
	torn    bool // a file that was read twice was not the same
	odd     int  // places the server sent in a form that cannot be read
	beyond  int  // places outside their file's text
	hidden  int  // places in files that are kept out of every answer

	excluded []Symbol // those in such files; they are not counted in hidden
}

// A placeFile is a file that places are in.
type placeFile struct {
	stamp  confine.Stamp
	gone   bool // it does not exist (any more), or cannot be read
	barred bool // it is there, and is not read: too large, or not permitted
	open   bool
	starts map[textpos.Point]bool // of the places in it
}

const (
	// maxLines bounds the bytes of source lines in one answer; places past it
	// come without.
	maxLines = 64 << 20
	// maxURI is the longest URI of a place that is taken.
	maxURI = 16 << 10
)

func newConverter(a *attempt) *converter {
	return &converter{a: a, locate: a.sess.srv.pool.o.Workspace.Locator(), seen: map[confine.File]*placeFile{}}
}

// A rawPlace is a Location or a LocationLink (LSP 3.17), with clangd's container.
type rawPlace struct {
	URI           string                 `json:"uri"`
	Range         *textpos.PositionRange `json:"range"`
	TargetURI     string                 `json:"targetUri"`
	TargetRange   *textpos.PositionRange `json:"targetSelectionRange"`
	ContainerName string                 `json:"containerName"`
}

// places decodes a result of type Location | Location[] | LocationLink[] | null,
// one element at a time: one that cannot be read costs only itself.
func (v *converter) places(ctx context.Context, raw json.RawMessage) ([]Location, error) {
	elements, err := elementsOf(raw)
	if err != nil {
		return nil, err
	}
	read := make([]rawPlace, 0, len(elements))
	for _, e := range elements {
		var p rawPlace
		if json.Unmarshal(e, &p) != nil {
			v.odd++
			continue
		}
		if p.TargetURI != "" {
			p.URI, p.Range = p.TargetURI, p.TargetRange
		}
		if p.URI == "" || p.Range == nil {
			v.odd++
			continue
		}
		read = append(read, p)
	}
	// One file after the other, so that each is read once.
	slices.SortStableFunc(read, func(a, b rawPlace) int {
		return cmp.Or(strings.Compare(a.URI, b.URI), cmp.Compare(a.Range.Start.Line, b.Range.Start.Line))
	})
	out := make([]Location, 0, len(read))
	for _, p := range read {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if l, ok := v.location(p.URI, *p.Range, true); ok {
			l.In = strings.Clone(p.ContainerName)
			out = append(out, l)
		}
	}
	return sortPlaces(out), nil
}

// elementsOf splits a result that is an array, one object, or null.
func elementsOf(raw json.RawMessage) ([]json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
		return nil, nil
	case raw[0] == '{':
		return []json.RawMessage{raw}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errors.New("the answer is no list")
	}
	return list, nil
}

// location converts one range. It reports false for a place that is not to be
// passed on: its file is gone or kept out of every answer, or its range is not
// in the file. named says that the place stands for the asked identifier.
func (v *converter) location(uri string, r textpos.PositionRange, named bool) (Location, bool) {
	switch scheme := textpos.Scheme(uri); {
	case len(uri) > maxURI || scheme == "":
		v.odd++
		return Location{}, false
	case scheme != "file":
		return Location{
			URI: strings.Clone(uri), Start: roughPoint(r.Start), End: roughPoint(r.End),
		}, true
	}
	abs, err := textpos.URIPath(uri)
	if err != nil {
		v.odd++
		return Location{}, false
	}
	ws := v.a.sess.srv.pool.o.Workspace
	f, inside := v.locate.Locate(abs)
	if !inside {
		if ws.Hidden(abs) {
			v.hidden++
			return Location{}, false
		}
		if slices.ContainsFunc(ws.Roots(), func(r confine.Root) bool { return r.Canonical == abs }) {
			v.odd++ // a folder holds no place
			return Location{}, false
		}
		return v.beyondRoots(uri, abs, r)
	}
	t := v.read(f)
	if t.gone {
		return Location{}, false
	}
	v.doubtLines(f, v.text)
	enc := v.a.sess.hello.encoding
	start, err := v.text.Offset(r.Start, enc)
	if err != nil {
		v.beyond++
		return Location{}, false
	}
	end, err := v.text.Offset(r.End, enc)
	if err != nil || end < start {
		v.beyond++
		return Location{}, false
	}
	l := Location{Inside: true, File: f}
	l.Start, _ = v.text.Point(start)
	l.End, _ = v.text.Point(end)
	l.Line = v.lineOf(l.Start.Line)
	if v.a.sess.entry.Quirks.CompileCommands {
		if t.starts == nil {
			t.starts = map[textpos.Point]bool{}
		}
		t.starts[l.Start] = true
	}
	// Before the index is whole, what it says of closed files may be about
	// texts of an earlier run.
	if named && !v.a.c.indexed && !t.open && v.a.name != "" {
		l.Stale = string(v.text.Text()[start:end]) != v.a.name
	}
	return l, true
}

// doubtLines notes that the server may number the lines of a text in another way.
func (v *converter) doubtLines(f confine.File, text *textpos.Mapper) {
	if text.LoneCR() && v.a.sess.entry.Quirks.CountsCR {
		v.a.c.unknown("lines of " + v.a.sess.srv.pool.o.Workspace.Shown(f) + " may be off: a carriage return without a line feed is in it")
	}
}

// lineOf returns a line of the text. Places on one line share its copy.
func (v *converter) lineOf(number int) string {
	if number != v.number {
		line, _ := v.text.Line(number)
		if v.spent += len(line); v.spent > maxLines {
			line = ""
		}
		v.number, v.line = number, line
	}
	return v.line
}

// read makes the text of a file, as the server knows it, the one that is held.
func (v *converter) read(f confine.File) *placeFile {
	t := v.seen[f]
	if t != nil && (t == v.file || t.gone) {
		return t
	}
	again := t
	sess := v.a.sess
	t = &placeFile{}
	v.file, v.number = t, 0
	if text, stamp, ok := sess.docs.lookup(f); ok {
		v.text, t.stamp, t.open = text, stamp, true
	} else if text, stamp, err := sess.srv.pool.o.Workspace.Read(f, sess.srv.pool.o.Limits.FileBytes); err == nil {
		v.text, t.stamp = textpos.NewMapper(text), stamp
	} else {
		t.gone, t.barred = true, !gone(err)
		var refused *confine.Error
		switch {
		case errors.As(err, &refused) && refused.Reason == confine.TooLarge:
			v.a.c.partial(sess.srv.pool.o.Workspace.Shown(f) + " is over the limit file_bytes")
		case t.barred:
			v.a.c.partial(sess.srv.pool.o.Workspace.Shown(f) + " cannot be read")
		}
	}
	if again != nil {
		t.starts = again.starts
	}
	if again != nil && (again.stamp != t.stamp || t.gone) {
		v.torn = true
	}
	v.seen[f] = t
	return t
}

// gone reports whether there is no such file (any more): its name stands for
// nothing, or for a folder, or one of its folders is a file now.
func gone(err error) bool {
	var refused *confine.Error
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) ||
		errors.As(err, &refused) && refused.Reason == confine.IsFolder
}

// consistent reports whether every text that places were read from is the text
// of the disk state that the server was told of.
func (v *converter) consistent() bool {
	disk := v.a.sess.srv.pool.disk
	for f, t := range v.seen {
		state, known := disk.state(f)
		if !known {
			continue // not tracked: nothing was told
		}
		if t.barred {
			continue // asking again changes nothing; the answer says so
		}
		if t.gone || state.stamp != t.stamp {
			return false
		}
	}
	return !v.torn
}

// note tells the collector what was left out.
func (v *converter) note() {
	if v.odd > 0 {
		v.a.c.partial(count(v.odd, "place") + " that the server sent cannot be read")
	}
	if v.beyond > 0 {
		v.a.c.partial(count(v.beyond, "place") + " outside its file's text")
	}
	if v.hidden > 0 {
		v.a.c.partial(count(v.hidden, "place") + " in excluded files")
	}
}

// beyondRoots makes the location of a place outside the workspace. Its text is
// read for the column alone.
func (v *converter) beyondRoots(uri, abs string, r textpos.PositionRange) (Location, bool) {
	l := Location{URI: strings.Clone(uri), Path: abs, Start: roughPoint(r.Start), End: roughPoint(r.End)}
	if l.End.Line < l.Start.Line || l.End.Line == l.Start.Line && l.End.Column < l.Start.Column {
		v.beyond++
		return Location{}, false
	}
	if abs != v.abs {
		v.abs, v.outside = abs, readOutside(abs, v.a.sess.srv.pool.o.Limits.FileBytes)
	}
	if v.outside == nil {
		return l, true
	}
	enc := v.a.sess.hello.encoding
	start, err1 := v.outside.Offset(r.Start, enc)
	end, err2 := v.outside.Offset(r.End, enc)
	if err1 == nil && err2 == nil {
		l.Start, _ = v.outside.Point(start)
		l.End, _ = v.outside.Point(end)
	}
	return l, true
}

// roughPoint is the point of a position whose text cannot be read: right for
// lines of ASCII.
func roughPoint(p textpos.Position) textpos.Point {
	return textpos.Point{Line: int(p.Line) + 1, Column: int(p.Character) + 1}
}

// sortPlaces orders places by path bytes, line, column and end, those inside the
// workspace first, and drops doubles.
func sortPlaces(ls []Location) []Location {
	slices.SortStableFunc(ls, compareLocations)
	return slices.CompactFunc(ls, func(a, b Location) bool { return compareLocations(a, b) == 0 })
}

func compareLocations(a, b Location) int {
	if a.Inside != b.Inside {
		if a.Inside {
			return -1
		}
		return 1
	}
	return cmp.Or(
		compareFiles(a.File, b.File), strings.Compare(a.Path, b.Path), strings.Compare(a.URI, b.URI),
		cmp.Compare(a.Start.Line, b.Start.Line), cmp.Compare(a.Start.Column, b.Start.Column),
		cmp.Compare(a.End.Line, b.End.Line), cmp.Compare(a.End.Column, b.End.Column),
	)
}

// sortSymbols orders symbols by their place.
func sortSymbols(list []Symbol) {
	slices.SortStableFunc(list, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.ExtentStart.Line, b.ExtentStart.Line), cmp.Compare(a.ExtentStart.Column, b.ExtentStart.Column), compareLocations(a.Place, b.Place))
	})
}

// count says "1 place", "2 places".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
