package lspclient

import (
	"bytes"
	"cmp"
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
// types, for one attempt. Each file is read once.
type converter struct {
	a       *attempt
	locate  *confine.Locator
	texts   map[confine.File]*placeText
	outside map[string]*textpos.Mapper
	gone    int // places in files that do not exist (any more)
	odd     int // places the server sent in a form that cannot be read
	beyond  int // places outside their file's text
}

// A placeText is the text of one file that places are in.
type placeText struct {
	text  *textpos.Mapper // nil when the file is gone
	stamp confine.Stamp
	open  bool
}

func newConverter(a *attempt) *converter {
	return &converter{a: a, locate: a.sess.srv.pool.o.Workspace.Locator(), texts: map[confine.File]*placeText{}, outside: map[string]*textpos.Mapper{}}
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
func (v *converter) places(raw json.RawMessage) ([]Location, error) {
	elements, err := elementsOf(raw)
	if err != nil {
		return nil, err
	}
	out := make([]Location, 0, len(elements))
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
	if textpos.Scheme(uri) != "file" {
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
			return Location{}, false
		}
		return v.beyondRoots(uri, abs, r), true
	}
	t := v.read(f)
	if t.text == nil {
		v.gone++
		return Location{}, false
	}
	if t.text.LoneCR() && v.a.sess.srv.entry.Quirks.CountsCR {
		v.a.c.unknown("lines of " + ws.Shown(f) + " may be off: a carriage return without a line feed is in it")
	}
	enc := v.a.sess.hello.encoding
	start, err := t.text.Offset(r.Start, enc)
	if err != nil {
		v.beyond++
		return Location{}, false
	}
	end, err := t.text.Offset(r.End, enc)
	if err != nil || end < start {
		v.beyond++
		return Location{}, false
	}
	l := Location{Inside: true, File: f}
	l.Start, _ = t.text.Point(start)
	l.End, _ = t.text.Point(end)
	l.Line, _ = t.text.Line(l.Start.Line)
	// Before the index is whole, what it says of closed files may be about
	// texts of an earlier run.
	if named && !v.a.c.indexed && !t.open && v.a.name != "" {
		l.Stale = string(t.text.Text()[start:end]) != v.a.name
	}
	return l, true
}

// read returns the text of a file as the server knows it.
func (v *converter) read(f confine.File) *placeText {
	if t := v.texts[f]; t != nil {
		return t
	}
	sess := v.a.sess
	t := &placeText{}
	if text, stamp, ok := sess.docs.lookup(f); ok {
		t.text, t.stamp, t.open = text, stamp, true
	} else if text, stamp, err := sess.srv.pool.o.Workspace.Read(f, sess.srv.pool.o.Limits.FileBytes); err == nil {
		t.text, t.stamp = textpos.NewMapper(text), stamp
	} else if !gone(err) {
		v.a.c.partial(sess.srv.pool.o.Workspace.Shown(f) + " cannot be read")
	}
	v.texts[f] = t
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
	for f, t := range v.texts {
		state, known := disk.state(f)
		if !known {
			continue // not tracked: nothing was told
		}
		if t.text == nil || state.stamp != t.stamp {
			return false
		}
	}
	return true
}

// note tells the collector what was left out.
func (v *converter) note() {
	if v.odd > 0 {
		v.a.c.partial(count(v.odd, "place") + " that the server sent cannot be read")
	}
	if v.beyond > 0 {
		v.a.c.partial(count(v.beyond, "place") + " outside its file's text")
	}
}

// beyondRoots makes the location of a place outside the workspace. Its text is
// read for the column alone.
func (v *converter) beyondRoots(uri, abs string, r textpos.PositionRange) Location {
	l := Location{URI: strings.Clone(uri), Path: abs, Start: roughPoint(r.Start), End: roughPoint(r.End)}
	text, ok := v.outside[abs]
	if !ok {
		text = readOutside(abs, v.a.sess.srv.pool.o.Limits.FileBytes)
		v.outside[abs] = text
	}
	if text == nil {
		return l
	}
	enc := v.a.sess.hello.encoding
	start, err1 := text.Offset(r.Start, enc)
	end, err2 := text.Offset(r.End, enc)
	if err1 == nil && err2 == nil {
		l.Start, _ = text.Point(start)
		l.End, _ = text.Point(end)
	}
	return l
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
