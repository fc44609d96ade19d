package lsptest_test

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/lsptest"
)

func TestGeneratorsRepeat(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(lsptest.CPP(7, 5), lsptest.CPP(7, 5)); diff != "" {
		t.Errorf("the same seed gives other C++:\n%s", diff)
	}
	if cmp.Equal(lsptest.CPP(7, 5), lsptest.CPP(8, 5)) {
		t.Error("another seed gives the same C++")
	}
	p := lsptest.GoProject{Seed: 7, Packages: 5, References: 9}
	if diff := cmp.Diff(lsptest.GoModule(p), lsptest.GoModule(p)); diff != "" {
		t.Errorf("the same seed gives other Go:\n%s", diff)
	}
	q := p
	q.Seed = 8
	if cmp.Equal(lsptest.GoModule(p), lsptest.GoModule(q)) {
		t.Error("another seed gives the same Go")
	}
}

// TestCPPCompiles compiles every unit the way compile_commands.json says.
func TestCPPCompiles(t *testing.T) {
	t.Parallel()
	lsptest.Require(t, "g++")
	const units = 8
	for _, seed := range []uint64{1, 2} {
		text, err := os.ReadFile(filepath.Join(lsptest.CPPWorkspace(t, seed, units), "compile_commands.json"))
		if err != nil {
			t.Fatal(err)
		}
		var commands []struct {
			Directory, File string
			Arguments       []string
		}
		if err := json.Unmarshal(text, &commands); err != nil {
			t.Fatal(err)
		}
		if len(commands) != units {
			t.Errorf("%d commands for %d units", len(commands), units)
		}
		for _, c := range commands {
			if !filepath.IsAbs(c.File) {
				t.Errorf("%s is not absolute", c.File)
			}
			cmd := exec.CommandContext(t.Context(), "g++", append([]string{"-fsyntax-only", "-Wall", "-Werror"}, c.Arguments[1:]...)...)
			cmd.Dir = c.Directory
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("seed %d, %s: %v\n%s", seed, c.File, err, out)
			}
		}
	}
}

// TestGoModule type-checks the module and counts the uses of Target.
func TestGoModule(t *testing.T) {
	t.Parallel()
	for _, p := range []lsptest.GoProject{
		{},
		{Seed: 1, Packages: 4},
		{Seed: 2, Packages: 7, References: 5000},
		{Seed: 3, Packages: 7, References: 3},
	} {
		check := goChecker{
			files: lsptest.GoModule(p), fset: token.NewFileSet(), done: map[string]*types.Package{},
			info: &types.Info{Uses: map[*ast.Ident]types.Object{}},
		}
		packages := map[string]bool{}
		for name := range check.files {
			if strings.HasSuffix(name, ".go") {
				packages["example.com/gen/"+path.Dir(name)] = true
			}
		}
		for name := range packages {
			if _, err := check.Import(name); err != nil {
				t.Fatalf("%+v: %v", p, err)
			}
		}
		if got, want := len(packages), max(p.Packages, 1)+1; got != want {
			t.Errorf("%+v: %d packages; want %d", p, got, want)
		}
		target := check.done["example.com/gen/target"].Scope().Lookup("Target")
		uses := 0
		for _, object := range check.info.Uses {
			if object == target {
				uses++
			}
		}
		if uses != p.References {
			t.Errorf("%+v: %d references", p, uses)
		}
	}
}

// A goChecker type-checks the packages of a generated module.
type goChecker struct {
	files map[string]string
	fset  *token.FileSet
	done  map[string]*types.Package
	info  *types.Info
}

func (c *goChecker) Import(name string) (*types.Package, error) {
	if p := c.done[name]; p != nil {
		return p, nil
	}
	dir, ok := strings.CutPrefix(name, "example.com/gen/")
	if !ok {
		return importer.Default().Import(name)
	}
	var parsed []*ast.File
	for file, text := range c.files {
		if path.Dir(file) != dir {
			continue
		}
		f, err := parser.ParseFile(c.fset, file, text, 0)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
	}
	p, err := (&types.Config{Importer: c}).Check(name, c.fset, parsed, c.info)
	if err != nil {
		return nil, err
	}
	c.done[name] = p
	return p, nil
}
