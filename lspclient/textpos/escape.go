package textpos

import (
	"errors"
	"fmt"
	"strings"
)

const upperHex = "0123456789ABCDEF"

// plain reports whether a byte of a path stands for itself in a URI: the
// unreserved characters of RFC 3986 §2.3, "/" and ":". What else a path segment
// may hold raw ("@", "+", "=", ...) is escaped, since programs differ about it.
func plain(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("-._~/:", c) >= 0
}

// escape percent-encodes the bytes of p that are not plain.
func escape(p string) string {
	var b strings.Builder
	b.Grow(len(p))
	for i := range len(p) {
		if c := p[i]; plain(c) {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(upperHex[c>>4])
			b.WriteByte(upperHex[c&15])
		}
	}
	return b.String()
}

// unescape decodes the path of a URI, once. A "+" is a plus: only forms make it
// a space.
func unescape(s string) (string, error) {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '?' || c == '#':
			return "", fmt.Errorf("has a raw %q behind its path", c)
		case c < 0x20 || c == 0x7f:
			return "", errors.New("holds a raw control character")
		case c != '%':
			b.WriteByte(c)
		default:
			if i+2 >= len(s) {
				return "", fmt.Errorf("bad escape %q", s[i:])
			}
			high, low := unhex(s[i+1]), unhex(s[i+2])
			if high < 0 || low < 0 {
				return "", fmt.Errorf("bad escape %q", s[i:i+3])
			}
			b.WriteByte(byte(high<<4 | low))
			i += 2
		}
	}
	return b.String(), nil
}

// unhex returns the value of a hexadecimal digit, -1 for another byte.
func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
