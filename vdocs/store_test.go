package vdocs_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspbridge/vdocs"
)

// A clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func file(path string) vdocs.Place {
	return vdocs.Place{URI: "file://" + path, Path: path, Server: "gopls"}
}

func newStore(most int) (*vdocs.Store, *clock) {
	c := &clock{now: time.Unix(1_800_000_000, 0)}
	return vdocs.NewStore(vdocs.Options{Workspace: "w7", Max: most, TTL: time.Minute, Now: c.Now}), c
}

func mustRef(t *testing.T, s *vdocs.Store, owner string, p vdocs.Place) vdocs.Ref {
	t.Helper()
	ref, _, ok := s.Ref(owner, p)
	if !ok {
		t.Fatalf("no reference for %+v", p)
	}
	return ref
}

func wantErr(t *testing.T, s *vdocs.Store, owner string, ref vdocs.Ref, want error) {
	t.Helper()
	p, err := s.Lookup(owner, ref)
	if !errors.Is(err, want) || p != (vdocs.Place{}) {
		t.Errorf("Lookup(%q, %q) = %+v, %v, want the error %v", owner, ref, p, err, want)
	}
}

func TestRefAndLookup(t *testing.T) {
	s, _ := newStore(8)
	want := file("/usr/include/stdio.h")
	ref := mustRef(t, s, "me", want)
	got, err := s.Lookup("me", ref)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("place (-want +got):\n%s", diff)
	}
	// The tag, then at least 80 bits in letters that cannot be confused.
	if shape := regexp.MustCompile(`^w7-[0-9a-hjkmnp-tv-z]{16,}$`); !shape.MatchString(string(ref)) {
		t.Errorf("reference %q does not match %v", ref, shape)
	}
	if strings.Contains(string(ref), "stdio") || strings.Contains(string(ref), "usr") {
		t.Errorf("reference %q tells the place", ref)
	}
}

func TestSamePlace(t *testing.T) {
	s, c := newStore(8)
	gopls := vdocs.Place{URI: "file:///m@v1/x.go", Path: "/m@v1/x.go", Server: "gopls"}
	escaped := vdocs.Place{URI: "file:///m%40v1/x.go", Path: "/m@v1/x.go", Server: "gopls"}
	ref := mustRef(t, s, "me", gopls)
	if again := mustRef(t, s, "me", escaped); again != ref {
		t.Errorf("another spelling of the URI gave %q, want %q", again, ref)
	}
	if other := mustRef(t, s, "you", gopls); other == ref {
		t.Error("two owners share a reference")
	}
	if other := mustRef(t, s, "me", vdocs.Place{URI: gopls.URI, Path: gopls.Path, Server: "clangd"}); other == ref {
		t.Error("two servers share a reference")
	}
	// Each use is within the time to live of the one before.
	for range 5 {
		c.advance(40 * time.Second)
		if again := mustRef(t, s, "me", gopls); again != ref {
			t.Fatalf("the place got %q while %q lives", again, ref)
		}
		c.advance(40 * time.Second)
		if _, err := s.Lookup("me", ref); err != nil {
			t.Fatal(err)
		}
	}
	c.advance(time.Minute)
	if again := mustRef(t, s, "me", gopls); again == ref {
		t.Error("an expired reference came back")
	}
	wantErr(t, s, "me", ref, vdocs.ErrExpired)
}

func TestExpiry(t *testing.T) {
	s, c := newStore(8)
	ref := mustRef(t, s, "me", file("/a"))
	c.advance(time.Minute - 1)
	if _, err := s.Lookup("me", ref); err != nil {
		t.Errorf("just before the end: %v", err)
	}
	c.advance(time.Minute - 1)
	wantErr(t, s, "you", ref, vdocs.ErrForeign) // no use of it
	c.advance(1)
	wantErr(t, s, "me", ref, vdocs.ErrExpired)
	wantErr(t, s, "you", ref, vdocs.ErrForeign)
}

func TestCap(t *testing.T) {
	s, _ := newStore(3)
	a, b, c := mustRef(t, s, "me", file("/a")), mustRef(t, s, "me", file("/b")), mustRef(t, s, "me", file("/c"))
	if _, err := s.Lookup("me", a); err != nil {
		t.Fatal(err)
	}
	d := mustRef(t, s, "me", file("/d"))
	wantErr(t, s, "me", b, vdocs.ErrExpired)
	for _, ref := range []vdocs.Ref{a, c, d} {
		if _, err := s.Lookup("me", ref); err != nil {
			t.Errorf("Lookup(%q): %v", ref, err)
		}
	}
}

// What is remembered of expired references is bounded too; older ones become
// unknown.
func TestExpiredAreForgotten(t *testing.T) {
	s, _ := newStore(4)
	var refs []vdocs.Ref
	for i := range 20 {
		refs = append(refs, mustRef(t, s, "me", file(fmt.Sprintf("/%d", i))))
	}
	for i, ref := range refs {
		switch {
		case i < 12:
			wantErr(t, s, "me", ref, vdocs.ErrUnknown)
		case i < 16:
			wantErr(t, s, "me", ref, vdocs.ErrExpired)
		default:
			if _, err := s.Lookup("me", ref); err != nil {
				t.Errorf("reference %d of 20: %v", i, err)
			}
		}
	}
}

func TestLookupErrors(t *testing.T) {
	s, _ := newStore(8)
	ref := mustRef(t, s, "me", file("/secret/place"))
	random := strings.TrimPrefix(string(ref), "w7-")
	other := vdocs.NewStore(vdocs.Options{Workspace: "w8"})
	otherRef := mustRef(t, other, "me", file("/secret/place"))
	tests := []struct {
		name, owner string
		ref         vdocs.Ref
		want        error
	}{
		{"another workspace", "me", otherRef, vdocs.ErrForeign},
		{"another tag before it", "me", vdocs.Ref("w8-" + random), vdocs.ErrForeign},
		{"longer tag", "me", vdocs.Ref("x-w7-" + random), vdocs.ErrForeign},
		{"another owner", "you", ref, vdocs.ErrForeign},
		{"no owner", "", ref, vdocs.ErrForeign},
		{"never given", "me", "w7-0000000000000000", vdocs.ErrUnknown},
		{"no tag", "me", vdocs.Ref(random), vdocs.ErrUnknown},
		{"empty", "me", "", vdocs.ErrUnknown},
		{"tag alone", "me", "w7-", vdocs.ErrUnknown},
		{"cut", "me", ref[:len(ref)-1], vdocs.ErrUnknown},
		{"longer", "me", ref + "0", vdocs.ErrUnknown},
		{"upper case", "me", "w7-000000000000000A", vdocs.ErrUnknown},
		{"letter that is none of its own", "me", "w7-000000000000000l", vdocs.ErrUnknown},
		{"space", "me", " " + ref, vdocs.ErrForeign},
		{"path", "me", "/secret/place", vdocs.ErrUnknown},
		{"uri", "me", "file:///secret/place", vdocs.ErrUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantErr(t, s, tt.owner, tt.ref, tt.want)
			if _, err := s.Lookup(tt.owner, tt.ref); err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("error %q tells the place", err)
			}
		})
	}
	// Each bit of the random part counts.
	for i := range len(random) * 8 {
		flipped := []byte(ref)
		flipped[len("w7-")+i/8] ^= 1 << (i % 8)
		wantErr(t, s, "me", vdocs.Ref(flipped), vdocs.ErrUnknown)
	}
}

func TestSchemes(t *testing.T) {
	s, _ := newStore(8)
	long := strings.Repeat("x", 1<<20)
	tests := []struct {
		name  string
		place vdocs.Place
		want  bool
	}{
		{"file", file("/a"), true},
		{"file, upper case", vdocs.Place{URI: "FILE:///a", Path: "/a"}, true},
		{"path alone", vdocs.Place{Path: "/a"}, true},
		{"jdt", vdocs.Place{URI: "jdt://contents/rt.jar/java.lang/String.class"}, true},
		{"deno", vdocs.Place{URI: "deno:/https/deno.land/std/mod.ts"}, true},
		{"file whose URI was refused", vdocs.Place{URI: "file://host/a"}, false},
		{"file with a relative path", vdocs.Place{URI: "file:///a", Path: "a"}, false},
		{"nothing", vdocs.Place{}, false},
		{"http", vdocs.Place{URI: "http://x/y"}, false},
		{"https", vdocs.Place{URI: "https://x/y"}, false},
		{"vscode", vdocs.Place{URI: "vscode-remote://x/y"}, false},
		{"settings", vdocs.Place{URI: "vscode-userdata:/settings.json"}, false},
		{"output", vdocs.Place{URI: "output:x"}, false},
		{"debug", vdocs.Place{URI: "debug:x"}, false},
		{"git", vdocs.Place{URI: "git:/x"}, false},
		{"untitled", vdocs.Place{URI: "untitled:x"}, false},
		{"another scheme with a path", vdocs.Place{URI: "http://x/y", Path: "/y"}, false},
		{"no scheme", vdocs.Place{URI: "/a"}, false},
		{"allowed scheme as a prefix", vdocs.Place{URI: "jdtx://a"}, false},
		{"huge URI", vdocs.Place{URI: "jdt:" + long}, false},
		{"huge path", vdocs.Place{Path: "/" + long}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ref, display, ok := s.Ref("me", tt.place)
			if ok != tt.want || ok != (ref != "") {
				t.Errorf("Ref = %q, %v, want ok %v", ref, ok, tt.want)
			}
			if display != s.Display(tt.place) {
				t.Errorf("display %q differs from Display's %q", display, s.Display(tt.place))
			}
		})
	}
}

func TestRefsDiffer(t *testing.T) {
	s := vdocs.NewStore(vdocs.Options{Workspace: "w", Max: 5000})
	seen := make(map[vdocs.Ref]bool)
	letters := make(map[byte]int)
	for i := range 5000 {
		ref := mustRef(t, s, "me", file(fmt.Sprintf("/%d", i)))
		if seen[ref] {
			t.Fatalf("%q given twice", ref)
		}
		seen[ref] = true
		for _, c := range []byte(ref[len("w-"):]) {
			letters[c]++
		}
	}
	// 80,000 letters, 2,500 of each on average; 5 standard deviations are 247.
	for c, n := range letters {
		if n < 2200 || n > 2800 {
			t.Errorf("%q occurs %d times, want about 2500", c, n)
		}
	}
	if len(letters) != 32 {
		t.Errorf("%d letters in use, want 32", len(letters))
	}
}

func TestZeroOptions(t *testing.T) {
	s := vdocs.NewStore(vdocs.Options{})
	first := mustRef(t, s, "me", file("/first"))
	for i := range 511 {
		mustRef(t, s, "me", file(fmt.Sprintf("/%d", i)))
	}
	if _, err := s.Lookup("me", first); err != nil {
		t.Errorf("512 references do not fit: %v", err)
	}
}

func TestConcurrent(t *testing.T) {
	s, c := newStore(16)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			owner := fmt.Sprint(worker % 2)
			for i := range 500 {
				want := file(fmt.Sprintf("/%d", (worker+i)%40))
				ref, _, _ := s.Ref(owner, want)
				if got, err := s.Lookup(owner, ref); err == nil && got != want {
					t.Errorf("Lookup(%q) = %+v, want %+v", ref, got, want)
				}
				if i%50 == 0 {
					c.advance(time.Second)
				}
			}
		})
	}
	wg.Wait()
}
