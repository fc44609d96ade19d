package tools_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A typesOracle knows from the type checker alone what the types of a module
// implement: those that stand in a package, are not generic, and have methods.
type typesOracle struct {
	declared map[string]question          // by node, as in [graph.lines]
	objects  map[string][]*types.TypeName // a type is another one in each test variant of its package
}

// loadTypes checks all packages of the module in dir, and those they import, from
// their source, so that a type is the same wherever it is imported.
func loadTypes(t *testing.T, dir string) typesOracle {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap", "./...")
	list.Dir, list.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	o := typesOracle{map[string]question{}, map[string][]*types.TypeName{}}
	fset, done := token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}
	// Packages come after those they import.
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var listed struct {
			ImportPath, Dir string
			GoFiles         []string
			ImportMap       map[string]string
		}
		if err := decoder.Decode(&listed); err != nil {
			t.Fatal(err)
		}
		if listed.ImportPath == "unsafe" || strings.HasSuffix(listed.ImportPath, ".test") {
			continue
		}
		var files []*ast.File
		for _, name := range listed.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(listed.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		config := types.Config{IgnoreFuncBodies: true, Sizes: types.SizesFor("gc", runtime.GOARCH), Importer: importerFunc(func(path string) (*types.Package, error) {
			p := done[cmp.Or(listed.ImportMap[path], path)]
			if p == nil {
				return nil, fmt.Errorf("%s is not listed", path)
			}
			return p, nil
		})}
		path, _, _ := strings.Cut(listed.ImportPath, " ") // "p [p.test]" is p with its tests
		p, err := config.Check(path, fset, files, nil)
		if err != nil {
			t.Fatal(err)
		}
		done[listed.ImportPath] = p
		o.add(dir, fset, p)
	}
	return o
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// add adds the types of a package, if it is below dir.
func (o typesOracle) add(dir string, fset *token.FileSet, p *types.Package) {
	for _, name := range p.Scope().Names() {
		object, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || object.IsAlias() {
			continue
		}
		named := object.Type().(*types.Named)
		if i, ok := named.Underlying().(*types.Interface); named.TypeParams() != nil || methods(named).Len() == 0 || ok && !i.IsMethodSet() {
			continue
		}
		at := fset.PositionFor(object.Pos(), false)
		rel, err := filepath.Rel(dir, at.Filename)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		q := question{filepath.ToSlash(rel), at.Line, at.Column, name, "type"}
		node := placeAt(q.file, q.line, q.column, q.line, q.column+len(name)) + " " + name
		o.declared[node], o.objects[node] = q, append(o.objects[node], object)
	}
}

// methods are those of a type's variables.
func methods(named *types.Named) *types.MethodSet {
	if types.IsInterface(named) {
		return types.NewMethodSet(named)
	}
	return types.NewMethodSet(types.NewPointer(named))
}

// related returns the edges between a type and its supertypes or subtypes.
func (o typesOracle) related(d direction, node string) answer {
	g := graph{roots: []string{node}}
	for _, other := range slices.Sorted(maps.Keys(o.objects)) {
		sub, super := node, other
		if d.backwards {
			sub, super = other, node
		}
		if node != other && o.implements(sub, super) {
			g.edges = append(g.edges, edge{from: sub, to: super})
		}
	}
	return answer{places: g.lines()}
}

func (o typesOracle) implements(sub, super string) bool {
	for _, y := range o.objects[super] {
		i, ok := y.Type().Underlying().(*types.Interface)
		if !ok {
			return false
		}
		for _, x := range o.objects[sub] {
			if types.Implements(x.Type(), i) || types.Implements(types.NewPointer(x.Type()), i) {
				return true
			}
		}
	}
	return false
}

// known drops the edges that lead to or from what the oracle knows nothing of.
func (o typesOracle) known(a answer) answer {
	a.places = slices.DeleteFunc(a.places, func(line string) bool {
		from, to, ok := strings.Cut(line, " -> ")
		return ok && (o.objects[from] == nil || o.objects[to] == nil)
	})
	return a
}
