package main_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A layer says what a package of the module may import. A name ending in
// "/..." is a package and all below it.
type layer struct {
	pkg  string
	may  []string // of the module
	only bool     // and the standard library, but no other module
}

// layers make imports run one way. The first that matches a package counts.
var layers = []layer{
	{"lspclient/textpos", nil, true},
	{"limits", nil, true},
	{"limits/confine", nil, true},
	{"lspclient/lsptest", []string{"lspclient/..."}, false},
	{"lspclient/...", []string{"lspclient", "lspclient/servers", "lspclient/supervise", "lspclient/textpos", "limits", "limits/confine"}, false},
	{"edits", []string{"lspclient/textpos", "limits", "limits/confine"}, false},
	{"vdocs", []string{"lspclient/textpos", "limits", "limits/confine"}, false},
	{"tools", []string{"edits", "vdocs", "lspclient", "lspclient/servers", "lspclient/textpos", "limits", "limits/confine"}, false},
	{"cmd/...", []string{
		"cmd/internal/...", "tools", "edits", "vdocs",
		"lspclient", "lspclient/servers", "lspclient/supervise", "lspclient/textpos", "limits", "limits/confine",
	}, false},
}

// keepers are the packages in which alone a dependency is used, so that one
// place knows its traps.
var keepers = []struct {
	dependency string
	in         []string
}{
	{"github.com/modelcontextprotocol/go-sdk/...", []string{"tools", "cmd/internal/httpserve"}},
	{"go.lsp.dev/...", []string{"lspclient"}},
	{"github.com/sergi/go-diff/...", []string{"edits"}},
	{"os/exec", []string{"lspclient/..."}},
}

// process is what only the program itself may do or ask for: below it nothing
// ends the process, prints, or depends on the current folder.
var process = []string{"os.Exit", "os.Stdout", "os.Getwd", "log.Fatal", "log.Fatalf", "log.Fatalln"}

// mayProcess are the packages that are programs: the command, the helper that
// the bridge starts between itself and a server, and the fake server of tests.
var mayProcess = []string{"cmd/...", "lspclient/supervise", "lspclient/lsptest"}

// writes are the ways to change the file system that can be told by name. The
// flags stand for every way to open a file, of package os and of os.Root.
var writes = []string{
	"os.WriteFile", "os.Create", "os.CreateTemp", "os.Rename", "os.Remove", "os.RemoveAll", "os.CopyFS",
	"os.Mkdir", "os.MkdirAll", "os.MkdirTemp", "os.Symlink", "os.Link", "os.Truncate",
	"os.Chmod", "os.Chown", "os.Lchown", "os.Chtimes",
	"os.O_WRONLY", "os.O_RDWR", "os.O_CREATE", "os.O_APPEND", "os.O_TRUNC", "os.O_EXCL",
	"syscall.Unlink", "syscall.Rename", "syscall.Creat", "ioutil.WriteFile",
}

// mayWrite are the packages that write, each with what it needs and why. A
// workspace is written by edits alone.
var mayWrite = []struct {
	pkg  string
	what []string // nil for all
}{
	{"edits", nil}, // every write into a workspace, and of the files that the bridge owns
	// The private folders of a server: its cache and its TMPDIR.
	// The names of units that do not compile stand in the cache too; a watch needs a
	// file of its own to write to.
	{"lspclient", []string{"os.MkdirAll", "os.MkdirTemp", "os.CreateTemp", "os.RemoveAll", "os.Remove", "os.O_CREATE", "os.O_APPEND", "os.O_WRONLY"}},
	// The user's cache: installed servers and merged compile databases.
	{"lspclient/servers", []string{"os.MkdirAll", "os.MkdirTemp", "os.CreateTemp", "os.Rename", "os.Remove", "os.RemoveAll"}},
	// The end of a server's TMPDIR, and /dev/null as its standard streams.
	{"lspclient/supervise", []string{"os.RemoveAll", "os.Chmod", "os.O_RDWR"}},
	{"lspclient/lsptest", nil}, // workspaces of tests
	// The folder of the trust list; its file goes through edits.
	{"cmd/internal/trust", []string{"os.MkdirAll"}},
}

// A violation is one break of a rule.
type violation struct {
	where string // file:line, relative to the module
	what  string
}

func (v violation) String() string { return v.where + ": " + v.what }

// checkSource checks one file that is no test. name is its path relative to
// the module, with slashes.
func checkSource(name string, text []byte) ([]violation, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	pkg := path.Dir(name)
	var vs []violation
	report := func(at token.Pos, format string, args ...any) {
		vs = append(vs, violation{fmt.Sprintf("%s:%d", name, fset.Position(at).Line), fmt.Sprintf(format, args...)})
	}
	imported := make(map[string]string) // name in the file -> import path
	for _, spec := range file.Imports {
		dep, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		local := path.Base(dep)
		if spec.Name != nil {
			local = spec.Name.Name
			if local == "." {
				report(spec.Pos(), "imports %s with a dot, which hides what is used", dep)
			}
		}
		imported[local] = dep
		checkImport(pkg, dep, func(format string, args ...any) { report(spec.Pos(), format, args...) })
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == "init" && n.Recv == nil {
				report(n.Pos(), "has an init function")
			}
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok || imported[id.Name] == "" {
				break
			}
			used := imported[id.Name] + "." + n.Sel.Name
			if slices.Contains(process, used) && !matchAny(mayProcess, pkg) {
				report(n.Pos(), "%s uses %s", pkg, used)
			}
			if slices.Contains(writes, used) && !writer(pkg, used) {
				report(n.Pos(), "%s uses %s: only edits writes files", pkg, used)
			}
		}
		return true
	})
	slices.SortStableFunc(vs, func(a, b violation) int { return cmp.Compare(a.where, b.where) })
	return vs, nil
}

// checkImport reports what is wrong with an import of dep in pkg.
func checkImport(pkg, dep string, report func(format string, args ...any)) {
	i := slices.IndexFunc(layers, func(l layer) bool { return match(l.pkg, pkg) })
	if i < 0 {
		report("%s has no layer: state in the rules what it may import", pkg)
		return
	}
	if inner, ok := strings.CutPrefix(dep, "lspbridge/"); ok {
		if !matchAny(layers[i].may, inner) {
			report("%s imports %s, which is not below it", pkg, inner)
		}
		return
	}
	if first, _, _ := strings.Cut(dep, "/"); strings.Contains(first, ".") && layers[i].only {
		report("%s imports %s: it imports the standard library alone", pkg, dep)
	}
	for _, k := range keepers {
		if match(k.dependency, dep) && !matchAny(k.in, pkg) {
			report("%s imports %s, which is for %s alone", pkg, dep, strings.Join(k.in, " and "))
		}
	}
}

// writer reports whether pkg may use a way to write.
func writer(pkg, used string) bool {
	for _, w := range mayWrite {
		if w.pkg == pkg && (w.what == nil || slices.Contains(w.what, used)) {
			return true
		}
	}
	return false
}

// match reports whether name is pattern, or lies below a pattern that ends in
// "/...".
func match(pattern, name string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == tree || strings.HasPrefix(name, tree+"/")
	}
	return name == pattern
}

func matchAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, name) })
}
