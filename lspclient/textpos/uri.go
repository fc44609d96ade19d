package textpos

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
	"unicode/utf8"
)

// onWindows tells whether paths of this system have drive letters. On other
// systems "/C:/x" is a path like any other.
const onWindows = runtime.GOOS == "windows"

// PathURI returns the file URI of an absolute path (RFC 8089), percent-encoded
// so that gopls, clangd and others read the same path back. The path is cleaned
// first. A relative path, a network path of Windows, a NUL and text that is not
// UTF-8 are errors.
func PathURI(path string) (string, error) {
	slashed, err := uriForm(path, onWindows)
	if err != nil {
		return "", fmt.Errorf("path %q: %w", clip(path), err)
	}
	return "file://" + escape(slashed), nil
}

// URIPath returns the cleaned absolute path of a file URI. It decodes once, and
// refuses another scheme, a host other than localhost, a query or fragment, a
// bad escape, a control character that is not escaped, a NUL, a relative path
// and text that is not UTF-8.
func URIPath(uri string) (string, error) {
	p, err := uriPath(uri, onWindows)
	if err != nil {
		return "", fmt.Errorf("uri %q: %w", clip(uri), err)
	}
	return p, nil
}

// Scheme returns the lower-case scheme of uri (RFC 3986 §3.1), "" when it has
// none. A single letter before the colon is a drive letter, not a scheme.
func Scheme(uri string) string {
	for i := range len(uri) {
		switch c := uri[i] | 0x20; {
		case uri[i] == ':' && i > 1:
			return strings.ToLower(uri[:i])
		case 'a' <= c && c <= 'z':
		case i > 0 && ('0' <= uri[i] && uri[i] <= '9' || strings.IndexByte("+-.", uri[i]) >= 0):
		default:
			return ""
		}
	}
	return ""
}

// uriPath is [URIPath] for a system with or without drive letters.
func uriPath(uri string, windows bool) (string, error) {
	scheme := Scheme(uri)
	if scheme != "file" {
		return "", fmt.Errorf("scheme %q is not file", scheme)
	}
	rest := uri[len("file:"):]
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		host := after
		if slash := strings.IndexByte(after, '/'); slash >= 0 {
			host = after[:slash]
		}
		if host != "" && !strings.EqualFold(host, "localhost") {
			return "", errors.New("names another host")
		}
		rest = after[len(host):]
	}
	if !strings.HasPrefix(rest, "/") {
		return "", errors.New("path is not absolute")
	}
	decoded, err := unescape(rest)
	if err != nil {
		return "", err
	}
	if err := checkText(decoded); err != nil {
		return "", err
	}
	if !windows {
		return path.Clean(decoded), nil
	}
	return windowsPath(decoded)
}

// uriForm returns path as it stands in a URI before escaping: cleaned, absolute,
// slashes.
func uriForm(p string, windows bool) (string, error) {
	if err := checkText(p); err != nil {
		return "", err
	}
	if windows {
		p = strings.ReplaceAll(p, `\`, "/")
		if strings.HasPrefix(p, "//") {
			return "", errors.New("network paths are not supported")
		}
		if !hasDrive(p) {
			return "", errors.New("path is not absolute")
		}
		return "/" + strings.ToUpper(p[:1]) + ":" + path.Clean(p[2:]), nil
	}
	if !strings.HasPrefix(p, "/") {
		return "", errors.New("path is not absolute")
	}
	return path.Clean(p), nil
}

// windowsPath returns the path of a decoded "/C:/x", its drive letter upper case:
// servers send either case, and one file must have one path.
func windowsPath(decoded string) (string, error) {
	p := strings.ReplaceAll(decoded[1:], `\`, "/")
	if !hasDrive(p) {
		return "", errors.New("path has no drive letter")
	}
	return strings.ToUpper(p[:1]) + ":" + strings.ReplaceAll(path.Clean(p[2:]), "/", `\`), nil
}

// hasDrive reports whether a slashed path starts like "C:/".
func hasDrive(p string) bool {
	if len(p) < 3 || p[1] != ':' || p[2] != '/' {
		return false
	}
	c := p[0] | 0x20
	return 'a' <= c && c <= 'z'
}

// checkText refuses what no path may hold.
func checkText(p string) error {
	switch {
	case strings.IndexByte(p, 0) >= 0:
		return errors.New("holds a NUL")
	case !utf8.ValidString(p):
		return errors.New("is not UTF-8")
	}
	return nil
}

// clip bounds what an error repeats of text that somebody else wrote.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}
