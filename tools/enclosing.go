package tools

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

// Naming the symbols around the places of a page is an extra: it may not cost
// more than this.
const (
	maxOutlines     = 100 // files a page
	outlinesAtOnce  = 4
	outlinePatience = 5 * time.Second
)

// An enclosure is what stands around a place.
type enclosure struct {
	name     string            // of the innermost symbol around it, "" when not known
	declares *lspclient.Symbol // the symbol whose name stands at the place
}

// enclosing finds what stands around places, by the outlines of their files. A
// file whose outline is not there in time is left out. Places whose server told
// the name are not asked for, unless all are.
func (q *question) enclosing(places []lspclient.Location, all bool) []enclosure {
	var files []confine.File
	for _, p := range places {
		if p.Inside && (all || p.In == "") && !slices.Contains(files, p.File) && len(files) < maxOutlines {
			files = append(files, p.File)
		}
	}
	ctx, cancel := context.WithTimeout(q.ctx, outlinePatience)
	defer cancel()
	outlines := make(map[confine.File][]lspclient.Symbol, len(files))
	var mu sync.Mutex // guards outlines
	slots := make(chan struct{}, outlinesAtOnce)
	var wg sync.WaitGroup
	for _, f := range files {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			var err error
			defer q.b.recovered(&err)
			symbols, err := q.b.pool.DocumentSymbols(ctx, f)
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			outlines[f] = symbols.Items
		})
	}
	wg.Wait()
	out := make([]enclosure, len(places))
	for i, p := range places {
		if symbols := outlines[p.File]; p.Inside && symbols != nil {
			_, language, _ := q.b.pool.ServerFor(p.File)
			out[i] = enclose(symbols, p, separator(language))
			out[i].name = q.b.redact.Text(out[i].name)
		}
	}
	return out
}

// separator joins the names of nested symbols, as the language does.
func separator(language string) string {
	switch language {
	case "c", "cpp", "objective-c", "objective-cpp", "cuda", "cuda-cpp", "rust":
		return "::"
	default:
		return "."
	}
}

// enclose walks from the outermost symbol around a place to the innermost.
func enclose(symbols []lspclient.Symbol, p lspclient.Location, sep string) enclosure {
	var e enclosure
	var names []string
	for symbols != nil {
		var next []lspclient.Symbol
		for i := range symbols {
			s := &symbols[i]
			if s.Place.Start == p.Start {
				e.declares = s
			} else if within(p.Start, s) {
				names = append(names, s.Name)
				next = s.Children
				break
			}
		}
		symbols = next
	}
	e.name = strings.Join(names, sep)
	return e
}

func within(p textpos.Point, s *lspclient.Symbol) bool {
	return comparePoints(s.ExtentStart, p) <= 0 && comparePoints(p, s.ExtentEnd) < 0
}

func comparePoints(a, b textpos.Point) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
