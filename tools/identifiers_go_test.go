package tools_test

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goQuestions chooses n identifier tokens among the Go files below dir outside
// testdata. The parts an identifier can play take turns, and within each the
// packages do, so that a label is as likely as a local variable. The column is
// any that touches the identifier.
func goQuestions(t *testing.T, dir string, seed uint64, n int) []question {
	t.Helper()
	return goQuestionsOf(t, dir, seed, n, path.Dir)
}

// goQuestionsOf chooses like goQuestions, but among the classes alone, of all if
// none is named, and lets the groups of files take turns in place of packages.
func goQuestionsOf(t *testing.T, dir string, seed uint64, n int, group func(file string) string, classes ...string) []question {
	t.Helper()
	byClass := map[string]map[string][]question{} // class, then group of files
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		for _, q := range goIdentifiers(rel, text) {
			if len(classes) > 0 && !slices.Contains(classes, q.class) {
				continue
			}
			if byClass[q.class] == nil {
				byClass[q.class] = map[string][]question{}
			}
			folder := group(rel)
			byClass[q.class][folder] = append(byClass[q.class][folder], q)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	var chosen []question
	for len(chosen) < n && len(byClass) > 0 {
		for _, class := range slices.Sorted(maps.Keys(byClass)) {
			folders := byClass[class]
			names := slices.Sorted(maps.Keys(folders))
			if len(names) == 0 {
				delete(byClass, class)
				continue
			}
			folder := names[r.IntN(len(names))]
			q := folders[folder][r.IntN(len(folders[folder]))]
			delete(folders, folder) // once a class and group
			q.column += r.IntN(len(q.name))
			chosen = append(chosen, q)
		}
	}
	if len(chosen) < n {
		t.Fatalf("%d identifiers; want %d", len(chosen), n)
	}
	return chosen[:n]
}

// goIdentifiers lists the identifier tokens of a file.
func goIdentifiers(name string, text []byte) []question {
	fset := token.NewFileSet()
	classes := goClasses(fset, name, text)
	file := fset.AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	var list []question
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return list
		}
		if tok != token.IDENT {
			continue
		}
		at := file.PositionFor(pos, false) // whatever //line says
		class := "use"
		if c := classes[at.Offset]; c != "" {
			class = c
		} else if types.Universe.Lookup(literal) != nil {
			class = "predeclared"
		}
		list = append(list, question{file: name, line: at.Line, column: at.Column, name: literal, class: class})
	}
}

// goClasses names the part each identifier plays that its syntax tells, by byte
// offset.
func goClasses(fset *token.FileSet, name string, text []byte) map[int]string {
	classes := map[int]string{}
	mark := func(class string, ids ...*ast.Ident) {
		for _, id := range ids {
			if id == nil {
				continue
			}
			c := class
			switch {
			case id.Name == "_":
				c = "blank"
			case class == "function" || class == "type" || class == "method":
				if !id.IsExported() {
					c = "unexported " + class
				}
			}
			classes[fset.PositionFor(id.Pos(), false).Offset] = c
		}
	}
	fields := func(class string, list *ast.FieldList) {
		if list != nil {
			for _, f := range list.List {
				mark(class, f.Names...)
			}
		}
	}
	f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return classes // each is a use then
	}
	mark("package clause", f.Name)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			mark("import name", n.Name)
		case *ast.FuncDecl:
			if n.Recv == nil {
				mark("function", n.Name)
			} else {
				mark("method", n.Name)
			}
			fields("receiver", n.Recv)
		case *ast.FuncType:
			fields("type parameter", n.TypeParams)
			fields("parameter", n.Params)
			fields("parameter", n.Results)
		case *ast.TypeSpec:
			if _, ok := n.Type.(*ast.InterfaceType); ok {
				mark("interface", n.Name)
			} else {
				mark("type", n.Name)
			}
			fields("type parameter", n.TypeParams)
		case *ast.StructType:
			fields("field", n.Fields)
		case *ast.InterfaceType:
			fields("interface method", n.Methods)
		case *ast.ValueSpec:
			mark("variable or constant", n.Names...)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, left := range n.Lhs {
					if id, ok := left.(*ast.Ident); ok {
						mark("local", id)
					}
				}
			}
		case *ast.LabeledStmt:
			mark("label", n.Label)
		case *ast.BranchStmt:
			mark("branch to label", n.Label)
		case *ast.SelectorExpr:
			mark("selector", n.Sel)
			if x, ok := n.X.(*ast.Ident); ok {
				mark("qualifier", x)
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				mark("key", key)
			}
		case *ast.Field:
			if len(n.Names) == 0 {
				if id, ok := n.Type.(*ast.Ident); ok {
					mark("unnamed field or parameter", id)
				}
			}
		}
		return true
	})
	return classes
}
