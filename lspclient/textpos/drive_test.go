package textpos

import "testing"

// The rules of Windows are text alone, so every system checks them.
func TestDriveLetters(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///C:/x%20y":      `C:\x y`,
		"file:///c:/x":          `C:\x`,
		"file:///c%3A/x/../y":   `C:\y`,
		"file:///C:/..":         `C:\`,
		"file://localhost/C:/x": `C:\x`,
		"file:///C:/a%5Cb":      `C:\a\b`,
	} {
		got, err := uriPath(uri, true)
		if err != nil || got != want {
			t.Errorf("uriPath(%q) = %q, %v, want %q", uri, got, err, want)
		}
		form, err := uriForm(got, true)
		if err != nil {
			t.Errorf("uriForm(%q): %v", got, err)
		}
		if back, err := uriPath("file://"+escape(form), true); err != nil || back != want {
			t.Errorf("%q came back as %q, %v", want, back, err)
		}
	}
	for _, uri := range []string{"file:///x", "file:///C:", "file:///C:x", "file:///1:/x", "file:////host/share", "file://host/C:/x"} {
		if got, err := uriPath(uri, true); err == nil {
			t.Errorf("uriPath(%q) = %q, want an error", uri, got)
		}
	}
	for _, p := range []string{`\\host\share\x`, `\\?\C:\x`, `C:x`, `x`, `\x`, "C:\\x\x00"} {
		if got, err := uriForm(p, true); err == nil {
			t.Errorf("uriForm(%q) = %q, want an error", p, got)
		}
	}
}
