package lsptest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// CPP generates a C++17 project of the given number of translation units
// (src/unitNNN.cpp, at least 1): headers, namespaces, classes with virtual
// methods, overloads, templates, free functions that call across units, and
// comments that are not ASCII. Names are relative, with slashes. The same seed
// gives the same bytes.
//
// There is no compile_commands.json in it, since that needs absolute paths: see
// [CompileCommands].
func CPP(seed uint64, units int) map[string]string {
	units = max(units, 1)
	g := cppProject{rand: rand.New(rand.NewPCG(seed, 0)), units: units}
	files := map[string]string{"include/shape.h": cppShape, "include/box.h": cppBox}
	for i := range units {
		files[fmt.Sprintf("include/unit%03d.h", i)] = g.header(i)
		files[fmt.Sprintf("src/unit%03d.cpp", i)] = g.source(i)
	}
	return files
}

// CompileCommands returns a compile_commands.json for the translation units
// among files, which lie in the absolute folder dir.
func CompileCommands(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	type command struct {
		Directory string   `json:"directory"`
		File      string   `json:"file"`
		Arguments []string `json:"arguments"`
	}
	commands := []command{}
	for _, name := range sortedNames(files) {
		if strings.HasSuffix(name, ".cpp") {
			commands = append(commands, command{
				dir, filepath.Join(dir, filepath.FromSlash(name)),
				[]string{"c++", "-std=c++17", "-Iinclude", "-c", name},
			})
		}
	}
	text, err := json.MarshalIndent(commands, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

const cppShape = `#pragma once

namespace geo {

/// Ein Körper mit Fläche; 形.
class Shape {
public:
  virtual ~Shape() = default;
  virtual int area() const = 0;
  virtual const char *name() const { return "shape"; }
  int twice() const { return 2 * area(); }
};

inline int measure(const Shape &s) { return s.area(); }
inline int measure(const Shape &s, int times) { return times * s.area(); }
inline int measure(int raw) { return raw; }

} // namespace geo
`

const cppBox = `#pragma once

#include <cstddef>

namespace geo {

/// A box of things — größer, wenn nötig 😀.
template <typename T> class Box {
public:
  void put(const T &t) { items_[size_++ % 16] = t; }
  int size() const { return static_cast<int>(size_); }

private:
  T items_[16] = {};
  std::size_t size_ = 0;
};

template <typename T> T larger(const T &a, const T &b) { return a < b ? b : a; }

} // namespace geo
`

// A cppProject generates one project.
type cppProject struct {
	rand  *rand.Rand
	units int
}

func (g *cppProject) header(i int) string {
	return fmt.Sprintf(`#pragma once

#include "shape.h"

namespace geo::unit%03[1]d {

/// Die %[1]d. Form, überschreibt area().
class Shape%03[1]d : public geo::Shape {
public:
  explicit Shape%03[1]d(int side) : side_(side) {}
  int area() const override;
  const char *name() const override;

private:
  int side_;
};

int compute%03[1]d(int n);
int compute%03[1]d(const geo::Shape &s);
int depth%03[1]d(int n);

} // namespace geo::unit%03[1]d
`, i)
}

func (g *cppProject) source(i int) string {
	var b strings.Builder
	callees := g.callees(i)
	fmt.Fprintf(&b, "#include \"unit%03d.h\"\n#include \"box.h\"\n", i)
	for _, c := range callees {
		fmt.Fprintf(&b, "#include \"unit%03d.h\"\n", c)
	}
	fmt.Fprintf(&b, `
namespace geo::unit%03[1]d {

namespace {

/* lokale Hilfe: naïve Fassung */
int helper(int n) { return n + %[2]d; }

} // namespace

int Shape%03[1]d::area() const { return side_ * side_ + helper(%[3]d); }

const char *Shape%03[1]d::name() const { return "unit%03[1]d é"; }

int compute%03[1]d(int n) {
  Shape%03[1]d shape(n);
  geo::Box<int> box;
  box.put(helper(n)); /* 😀 */ box.put(shape.area());
  int sum = geo::measure(shape) + geo::measure(shape, 2) + geo::measure(n);
`, i, g.rand.IntN(100), g.rand.IntN(100))
	for _, c := range callees {
		if g.rand.IntN(2) == 0 {
			fmt.Fprintf(&b, "  sum += geo::unit%03d::compute%03d(n);\n", c, c)
		} else {
			fmt.Fprintf(&b, "  sum += geo::unit%03d::compute%03d(geo::unit%03d::Shape%03d(%d));\n", c, c, c, c, g.rand.IntN(9))
		}
	}
	fmt.Fprintf(&b, `  return geo::larger(sum, box.size());
}

int compute%03[1]d(const geo::Shape &s) { return geo::measure(s) + helper(s.twice()); }

int depth%03[1]d(int n) { return n <= 0 ? 0 : 1 + depth%03[2]d(n - 1); }

} // namespace geo::unit%03[1]d
`, i, i)
	return b.String()
}

// callees chooses up to three earlier units, each once, for unit i to call.
func (g *cppProject) callees(i int) []int {
	if i == 0 {
		return nil
	}
	order := g.rand.Perm(i)
	return order[:1+g.rand.IntN(min(3, i))]
}
