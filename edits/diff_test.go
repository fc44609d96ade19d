package edits_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/edits"
)

func TestUnified(t *testing.T) {
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	tests := []struct {
		name, path, before, after string
		context                   int
		want                      string
		added, deleted            int
	}{
		{"equal", "a.go", "x\n", "x\n", 3, "", 0, 0},
		{"both empty", "a.go", "", "", 3, "", 0, 0},
		{
			"one line", "a.go", "1\n2\n3\n", "1\nX\n3\n", 3,
			"--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n 1\n-2\n+X\n 3\n", 1, 1,
		},
		{
			"single line files", "a.go", "1\n", "2\n", 3,
			"--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-1\n+2\n", 1, 1,
		},
		{
			"two hunks", "d/a.go", ten, strings.Replace(strings.Replace(ten, "2\n", "", 1), "9\n", "9\nX\n", 1), 1,
			"--- a/d/a.go\n+++ b/d/a.go\n@@ -1,3 +1,2 @@\n 1\n-2\n 3\n@@ -9,2 +8,3 @@\n 9\n+X\n 10\n", 1, 1,
		},
		{
			"changes within twice the context share a hunk", "a", "1\n2\n3\n4\n", "X\n2\n3\nY\n", 1,
			"--- a/a\n+++ b/a\n@@ -1,4 +1,4 @@\n-1\n+X\n 2\n 3\n-4\n+Y\n", 2, 2,
		},
		{
			"no context", "a", "1\n2\n3\n", "1\nX\n2\n", 0,
			"--- a/a\n+++ b/a\n@@ -1,0 +2 @@\n+X\n@@ -3 +3,0 @@\n-3\n", 1, 1,
		},
		{
			"last line gets its end", "a", "1\n2", "1\n2\n", 3,
			"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n", 1, 1,
		},
		{
			"common last line without end", "a", "1\n2", "X\n2", 3,
			"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+X\n 2\n\\ No newline at end of file\n", 1, 1,
		},
		{
			"carriage returns stay", "a", "1\r\n2\r\n", "1\r\n2\n", 3,
			"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+2\n", 1, 1,
		},
		{
			"from empty", "a", "", "1\n2\n", 3,
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1,2 @@\n+1\n+2\n", 2, 0,
		},
		{
			"to empty", "a", "1\n", "", 3,
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +0,0 @@\n-1\n", 0, 1,
		},
		{
			"a name with a space ends in a tab", "my file.go", "1\n", "2\n", 3,
			"--- a/my file.go\t\n+++ b/my file.go\t\n@@ -1 +1 @@\n-1\n+2\n", 1, 1,
		},
		{
			"an odd name is quoted", "é\"\n\x1b.go", "1\n", "2\n", 3,
			`--- "a/\303\251\"\n\033.go"` + "\n" + `+++ "b/\303\251\"\n\033.go"` + "\n@@ -1 +1 @@\n-1\n+2\n", 1, 1,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := edits.Unified(tt.path, []byte(tt.before), []byte(tt.after), tt.context)
			if err != nil {
				t.Fatal(err)
			}
			want := edits.Diff{Text: tt.want, Added: tt.added, Deleted: tt.deleted}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Unified (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnifiedRefuses(t *testing.T) {
	for _, tt := range []struct {
		path    string
		context int
		want    string
	}{{"", 3, "no file name"}, {"/etc/passwd", 3, "relative"}, {"a\x00b", 3, "relative"}, {"a", -1, "-1 context"}} {
		_, err := edits.Unified(tt.path, []byte("1"), []byte("2"), tt.context)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Unified(%q, context %d): %v, want an error with %q", tt.path, tt.context, err, tt.want)
		}
	}
}
