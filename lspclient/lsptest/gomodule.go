package lsptest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A GoProject says what [GoModule] generates. The zero value is one package
// without references to Target.
type GoProject struct {
	Seed     uint64
	Packages int // at least 1
	// References is the number of uses of target.Target in the module, its
	// declaration not counted.
	References int
}

// GoModule generates a module example.com/gen: package target with the function
// Target, and packages pkgNNN with an interface's implementations, methods,
// generics, calls across packages, and text that is not ASCII. Names are
// relative, with slashes. The same project gives the same bytes.
func GoModule(p GoProject) map[string]string {
	packages := max(p.Packages, 1)
	r := rand.New(rand.NewPCG(p.Seed, 1))
	files := map[string]string{
		"go.mod":           "module example.com/gen\n\ngo 1.24\n",
		"target/target.go": goTarget,
	}
	for i := range packages {
		uses := p.References / packages
		if i < p.References%packages {
			uses++
		}
		name := fmt.Sprintf("pkg%03d", i)
		files[name+"/"+name+".go"] = goPackage(r, i)
		if uses > 0 {
			files[name+"/uses.go"] = goUses(name, uses)
		}
	}
	return files
}

const goTarget = `// Package target holds what the other packages use.
package target

// Target is used very often; größtenteils in uses.go.
func Target(n int) int { return n }

// A Shape has an area.
type Shape interface {
	Area() int
	Name() string
}

// Largest returns the largest area, 0 for none.
func Largest[S Shape](shapes ...S) int {
	most := 0
	for _, s := range shapes {
		most = max(most, s.Area())
	}
	return most
}
`

func goPackage(r *rand.Rand, i int) string {
	var b strings.Builder
	callees := r.Perm(max(i, 1))[:min(i, 1+r.IntN(3))]
	slices.Sort(callees)
	fmt.Fprintf(&b, "// Package pkg%03d is number %d.\npackage pkg%03d\n\nimport (\n", i, i, i)
	for _, c := range callees {
		fmt.Fprintf(&b, "\t\"example.com/gen/pkg%03d\"\n", c)
	}
	fmt.Fprintf(&b, `	"example.com/gen/target"
)

// Shape%03[1]d implements target.Shape – naïvely.
type Shape%03[1]d struct{ side int }

var _ target.Shape = Shape%03[1]d{}

// Area is the area plus %[2]d.
func (s Shape%03[1]d) Area() int { return s.side*s.side + %[2]d }

// Name is "pkg%03[1]d é".
func (s Shape%03[1]d) Name() string { return "pkg%03[1]d é" }

// Compute calls across packages.
func Compute(n int) int {
	sum := target.Largest(Shape%03[1]d{n}, Shape%03[1]d{side: n + 1})
`, i, r.IntN(100))
	for _, c := range callees {
		fmt.Fprintf(&b, "\tsum += /* 😀 */ pkg%03d.Compute(n - 1)\n", c)
	}
	b.WriteString("\treturn sum\n}\n")
	return b.String()
}

// usesPerLine is how often one line uses the target.
const usesPerLine = 2

func goUses(name string, uses int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport \"example.com/gen/target\"\n\n// Uses sums.\nfunc Uses(n int) int {\n\tsum := 0\n", name)
	for uses > 0 {
		line := min(uses, usesPerLine)
		b.WriteString("\tsum += target.Target(n)" + strings.Repeat(" + target.Target(n)", line-1) + "\n")
		uses -= line
	}
	b.WriteString("\treturn sum\n}\n")
	return b.String()
}

func sortedNames(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }
