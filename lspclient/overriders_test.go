package lspclient_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
)

// TestClangdKeepsOverriders: clangd forgets where an overriding method is
// defined once a file that includes its class was open, unless the file of the
// definition is.
func TestClangdKeepsOverriders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"clangd-22", "clangd-19"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clangd := lsptest.Require(t, name)
			dir := t.TempDir()
			const base = "#pragma once\nstruct Base {\n  virtual ~Base() = default;\n  virtual int area(int (*f)(int)) const = 0;\n  virtual bool operator()(int) const;\n};\n"
			files := map[string]string{
				"base.h": base,
				"base.cpp": "#include \"base.h\"\nbool Base::operator()(int) const { return true; }\n" +
					"int use(const Base &b) { return b.area(nullptr); }\n",
				"user.cpp": "#include \"d0.h\"\n#include \"d1.h\"\n#include \"inline.h\"\nint user(D0 &d, D1 &e, Inline &i) { return d.area(nullptr) + e.area(nullptr) + i.area(nullptr); }\n",
				"inline.h": "#pragma once\n#include \"base.h\"\nstruct Inline : Base {\n  int area(int (*f)(int)) const override { return 3; }\n};\n" +
					"struct Abstract : Base {\n  int area(int (*f)(int)) const override = 0;\n};\n",
			}
			want := []string{"base.cpp:3:35", "base.h:4:15"}
			for i := range 3 {
				files[fmt.Sprintf("d%d.h", i)] = fmt.Sprintf("#pragma once\n#include \"base.h\"\nstruct D%d : Base {\n  int area(int (*f)(int)) const override;\n  bool operator()(int) const override;\n};\n", i)
				files[fmt.Sprintf("d%d.cpp", i)] = fmt.Sprintf("#include \"d%[1]d.h\"\n\nint D%[1]d::area(int (*f)(int)) const { return %[1]d; }\nbool D%[1]d::operator()(int) const { return false; }\n", i)
				want = append(want, fmt.Sprintf("d%d.cpp:3:9", i), fmt.Sprintf("d%d.h:4:7", i))
			}
			want = append(want, "inline.h:4:7", "inline.h:7:7")
			lsptest.WriteFiles(t, dir, files)
			lsptest.WriteFiles(t, dir, map[string]string{"compile_commands.json": lsptest.CompileCommands(t, dir, files)})
			b := openReal(t, dir, "clangd", clangd)
			b.expect(t, "at first", "base.h", "area", want...)

			b.expect(t, "a user of the classes", "user.cpp", "user", "user.cpp:4:5")
			for range 3 {
				// What clangd learns from includes arrives when it pleases.
				b.expect(t, "a file that includes the classes was open", "base.h", "area", want...)
				b.expect(t, "an operator", "base.h", "operator",
					"base.cpp:2:12", "base.h:5:16", "d0.cpp:4:10", "d0.h:5:8", "d1.cpp:4:10", "d1.h:5:8", "d2.cpp:4:10", "d2.h:5:8")
				b.expect(t, "a user of the classes", "user.cpp", "user", "user.cpp:4:5")
			}
			b.expect(t, "from the definition", "d0.cpp", "area", "base.cpp:3:35", "base.h:4:15", "d0.cpp:3:9", "d0.h:4:7", "user.cpp:4:46")

			overriders := []string{"d0.cpp:3:9-3:13", "d1.cpp:3:9-3:13", "d2.cpp:3:9-3:13", "inline.h:4:7-4:11", "inline.h:7:7-7:11"}
			check := func(what string, got lspclient.Locations, err error, want ...string) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, b.places(got)); diff != "" || got.Completeness.State != lspclient.Complete {
					t.Errorf("%s: %+v (-want +got):\n%s", what, got.Completeness, diff)
				}
			}
			got, err := b.Implementations(t.Context(), b.file(t, "base.h"), on("area"))
			check("implementations", got, err, overriders...)
			got, err = b.Definition(t.Context(), b.file(t, "base.h"), on("area"), lspclient.KindDefinition)
			check("definitions of a pure virtual method", got, err, append([]string{"base.h:4:15-4:19"}, overriders...)...)
			got, err = b.Definition(t.Context(), b.file(t, "d1.cpp"), on("area"), lspclient.KindDefinition)
			check("from the definition to the declaration", got, err, "d1.h:4:7-4:11")
		})
	}
}
