package limits

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// parse reads the text form of a value of l and checks its bounds.
func (l limit) parse(text string) (int64, error) {
	v, err := l.kind.parse(text)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && l.max != 0 && v > l.max:
		return 0, fmt.Errorf("limit %s: %s is over its maximum, %s", l.name, quote(text), l.maximum())
	case err != nil:
		return 0, fmt.Errorf("limit %s: %s is not %s (at most %s)", l.name, quote(text), l.kind.describe(), l.maximum())
	case v < l.min:
		return 0, fmt.Errorf("limit %s: %s is under its minimum, %s", l.name, quote(text), l.kind.format(l.min))
	}
	return v, nil
}

func (l limit) maximum() string {
	if l.max == 0 {
		return "none"
	}
	return l.kind.format(l.max)
}

// describe completes "... is not ...".
func (k kind) describe() string {
	switch k {
	case duration:
		return "a duration such as 20s or 1m30s"
	case size:
		return "a size in bytes such as 512, 64KiB or 4MiB"
	default:
		return "a count such as 100 or 10,000"
	}
}

var errSyntax = errors.New("syntax")

// parse returns the value that text spells, never below 0. An error that is
// [strconv.ErrRange] says that the text is well formed and too large.
func (k kind) parse(text string) (int64, error) {
	switch k {
	case duration:
		return parseDuration(text)
	case size:
		return parseSize(text)
	default:
		return parseCount(text)
	}
}

func parseDuration(text string) (int64, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || strings.HasPrefix(text, "+") {
		return 0, errSyntax
	}
	return int64(d), nil
}

// sizeUnits are powers of 1024 alone: what K or MB means depends on whom one
// asks, and a limit must not.
var sizeUnits = [...]struct {
	suffix string
	bytes  int64
}{{"KiB", kib}, {"MiB", mib}, {"GiB", 1 << 30}}

func parseSize(text string) (int64, error) {
	for _, u := range sizeUnits {
		if digits, ok := strings.CutSuffix(text, u.suffix); ok {
			n, err := parseCount(digits)
			if err != nil {
				return 0, err
			}
			if n > math.MaxInt64/u.bytes {
				return 0, strconv.ErrRange
			}
			return n * u.bytes, nil
		}
	}
	return parseCount(text)
}

// parseCount reads decimal digits. Separators stand between groups of three
// alone, so that "1,5" is an error and not fifteen.
func parseCount(text string) (int64, error) {
	digits := text
	if sep := strings.IndexAny(text, ",_"); sep >= 0 {
		groups := strings.Split(text, text[sep:sep+1])
		for i, g := range groups {
			if i == 0 && (len(g) < 1 || len(g) > 3) || i > 0 && len(g) != 3 {
				return 0, errSyntax
			}
		}
		digits = strings.Join(groups, "")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, errSyntax
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, strconv.ErrRange
	}
	return n, nil
}

// format is the inverse of parse.
func (k kind) format(v int64) string {
	switch k {
	case duration:
		return formatDuration(time.Duration(v))
	case size:
		for i := len(sizeUnits) - 1; i >= 0; i-- {
			if u := sizeUnits[i]; v >= u.bytes && v%u.bytes == 0 {
				return strconv.FormatInt(v/u.bytes, 10) + u.suffix
			}
		}
		return group(v)
	default:
		return group(v)
	}
}

// formatDuration leaves out the zero minutes and seconds that
// [time.Duration.String] ends with: 10m, not 10m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func group(v int64) string {
	s := strconv.FormatInt(v, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// quote makes foreign text fit for one line of an error.
func quote(text string) string {
	const most = 40
	text, _ = Clip(text, 0, 0, most)
	return strconv.Quote(text)
}
