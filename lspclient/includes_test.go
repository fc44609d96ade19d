package lspclient

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIncludedNames(t *testing.T) {
	text := "#include \"a.h\"\n#include <sys/b.hpp>\r\n  #  include\t\"dir/c.inc\" // why\n" +
		"#import \"d.h\"\n#include_next <e.h>\n// #include \"no.h\"\n#define include \"no.h\"\n" +
		"#include MACRO\n#include\"a.h\"\n#include \"open\nint x;\n#"
	want := []string{"a.h", "b.hpp", "c.inc", "d.h", "e.h"}
	if diff := cmp.Diff(want, includedNames([]byte(text))); diff != "" {
		t.Errorf("included names (-want +got):\n%s", diff)
	}
}
