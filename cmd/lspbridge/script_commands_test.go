package main

import (
	"bytes"
	"encoding/json"
	"go/build"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// fifo PATH makes a named pipe.
func fifo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fifo PATH")
	}
	ts.Check(makeFIFO(ts.MkAbs(args[0])))
}

// json MEMBERS FILE checks that every line of a file (stdout is one) is a JSON
// object, or that the whole is; and that the last has the members, in this
// order, separated by commas.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: json MEMBERS FILE")
	}
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[1])))
	var last json.RawMessage
	for dec.More() {
		ts.Check(dec.Decode(&last))
	}
	var names []string
	object := json.NewDecoder(bytes.NewReader(last))
	tok, err := object.Token()
	ts.Check(err)
	if tok != json.Delim('{') {
		ts.Fatalf("not a JSON object: %s", last)
	}
	for object.More() {
		name, err := object.Token()
		ts.Check(err)
		names = append(names, name.(string))
		var value json.RawMessage
		ts.Check(object.Decode(&value))
	}
	if got := strings.Join(names, ","); got != args[0] {
		ts.Fatalf("members %s, want %s", got, args[0])
	}
}

// goCaches are the caches that tests share with the user's go, so that a server
// does not build the standard library anew.
func goCaches() map[string]string {
	modules := os.Getenv("GOMODCACHE")
	if list := filepath.SplitList(build.Default.GOPATH); modules == "" && len(list) > 0 {
		modules = filepath.Join(list[0], "pkg", "mod")
	}
	return map[string]string{"GOCACHE": orElse(os.Getenv("GOCACHE"), userCache("go-build")), "GOMODCACHE": modules}
}

func userCache(name string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, name)
}

func orElse(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}
