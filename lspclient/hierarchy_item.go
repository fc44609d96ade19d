package lspclient

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// maxItem bounds the bytes of one hierarchy item, which is kept to be sent back.
const maxItem = 64 << 10

// An item is a CallHierarchyItem or a TypeHierarchyItem (LSP 3.17), as the server
// sent it and as the bridge shows it.
type item struct {
	raw    json.RawMessage // goes back as it came, its data with it
	id     string          // of the symbol, "" where the server gives none
	symbol Symbol
	sites  []textpos.PositionRange // of the call; nil for types and roots
	odd    int                     // sites that cannot be read
}

// An itemKey tells items apart by their place and name.
type itemKey struct {
	file       confine.File
	uri, name  string
	start, end textpos.Point
}

func (it item) key() itemKey {
	p := it.symbol.Place
	return itemKey{p.File, cmp.Or(p.Path, p.URI), it.symbol.Name, p.Start, p.End}
}

// items decodes what prepare or an expansion answered, sorted by place and
// without doubles; member is the member of each element that holds its item, ""
// where the elements are the items.
func (v *converter) items(elements []json.RawMessage, member string) []item {
	out := make([]item, 0, len(elements))
	for _, e := range elements {
		raw, sites, bad := e, []textpos.PositionRange(nil), 0
		if member != "" {
			var call map[string]json.RawMessage
			if json.Unmarshal(e, &call) != nil {
				v.odd++
				continue
			}
			raw = call[member]
			sites, bad = rangesOf(call["fromRanges"])
		}
		it, ok := v.item(raw)
		if !ok {
			continue
		}
		it.sites, it.odd = sites, bad
		out = append(out, it)
	}
	slices.SortStableFunc(out, func(a, b item) int {
		return cmp.Or(compareLocations(a.symbol.Place, b.symbol.Place), strings.Compare(a.symbol.Name, b.symbol.Name))
	})
	return out
}

// item decodes one item. One whose place is not to be passed on is left out.
func (v *converter) item(raw json.RawMessage) (item, bool) {
	var r struct {
		Name           string                 `json:"name"`
		Kind           int                    `json:"kind"`
		Detail         string                 `json:"detail"`
		URI            string                 `json:"uri"`
		Range          *textpos.PositionRange `json:"range"`
		SelectionRange *textpos.PositionRange `json:"selectionRange"`
		Data           json.RawMessage        `json:"data"`
	}
	if len(raw) > maxItem || json.Unmarshal(raw, &r) != nil || r.Name == "" || r.URI == "" || r.SelectionRange == nil {
		v.odd++
		return item{}, false
	}
	place, ok := v.location(r.URI, *r.SelectionRange, false)
	if !ok {
		return item{}, false
	}
	place.Stale = v.doubtful(place, r.Name)
	it := item{
		raw: bytes.Clone(raw),
		symbol: Symbol{
			Name: strings.Clone(r.Name), Kind: kindName(r.Kind), Detail: strings.Clone(r.Detail),
			Place: place, ExtentStart: place.Start, ExtentEnd: place.End,
		},
	}
	if v.a.sess.entry.Quirks.IDsInData {
		it.id = symbolID(r.Data)
	}
	if r.Range != nil {
		if whole, ok := v.location(r.URI, *r.Range, false); ok {
			it.symbol.ExtentStart, it.symbol.ExtentEnd = whole.Start, whole.End
		}
	}
	return it, true
}

// doubtful reports whether a place that was just converted cannot be that of a
// name: what the server says of a closed file may be about an earlier text while
// its index is not whole. A name may say more than stands there: operator+,
// ~Top, List<int>.
func (v *converter) doubtful(l Location, name string) bool {
	if !l.Inside || v.a.c.indexed || v.read(l.File).open {
		return false
	}
	start, err1 := v.text.PointOffset(l.Start)
	end, err2 := v.text.PointOffset(l.End)
	return err1 != nil || err2 != nil || start == end || !strings.HasPrefix(name, string(v.text.Text()[start:end]))
}

// symbolID is the symbol that clangd's data names: a string, or a member of an
// object which also holds the way the item was come by.
func symbolID(data json.RawMessage) string {
	var id string
	if json.Unmarshal(data, &id) == nil {
		return id
	}
	var object struct {
		SymbolID string `json:"symbolID"`
	}
	if json.Unmarshal(data, &object) != nil {
		return ""
	}
	return object.SymbolID
}

// rangesOf decodes fromRanges, one at a time.
func rangesOf(raw json.RawMessage) (ranges []textpos.PositionRange, odd int) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, 1
	}
	for _, e := range list {
		var r textpos.PositionRange
		if isNull(e) || json.Unmarshal(e, &r) != nil {
			odd++
			continue
		}
		ranges = append(ranges, r)
	}
	return ranges, odd
}
