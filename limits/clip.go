package limits

import "unicode/utf8"

// Mark stands where [Clip] cut something away.
const Mark = "…"

// Clip shortens line to at most max characters, marks included, around the
// bytes [start, end), and puts a [Mark] at each cut. clipped reports whether
// something was cut; a line that fits comes back as it is.
//
// A character is one code point, or one byte of what is not UTF-8; none is
// split. The whole of [start, end) is kept when it fits, otherwise its
// beginning. A start or end outside the line counts as the nearest one inside.
// A max under 3, too small for a character between two marks, leaves the mark
// alone, and under 1 nothing. Work is bounded by max, however long the line.
func Clip(line string, start, end, max int) (text string, clipped bool) {
	if fits(line, max) {
		return line, false
	}
	if max < 3 {
		if max < 1 {
			return "", true
		}
		return Mark, true
	}
	start = align(line, clamp(start, 0, len(line)), false)
	end = align(line, clamp(end, start, len(line)), true)

	before, _ := back(line, start, max)
	place, placeEnd := forward(line, start, end, max)
	after, _ := forward(line, end, len(line), max)
	cutBefore, cutAfter := 0, 0 // characters that the marks take

	// The place and the marks it certainly needs come first; what room is left
	// is shared by both sides, and what one side does not need the other gets.
	if place > max-2 {
		if start > 0 {
			cutBefore = 1
		}
		if placeEnd < len(line) || place+cutBefore > max {
			cutAfter = 1
		}
		shown := min(place, max-cutBefore-cutAfter)
		_, hi := forward(line, start, end, shown)
		return mark(line, start, hi), true
	}
	room := max - place
	left, right := room/2, room-room/2
	switch {
	case before <= left:
		left = before
		right = room - left - 1
	case after <= right:
		right = after
		left = room - right - 1
	default:
		left, right = left-1, right-1
	}
	_, lo := back(line, start, left)
	_, hi := forward(line, end, len(line), right)
	return mark(line, lo, hi), true
}

// mark returns line[lo:hi] with marks where something is missing.
func mark(line string, lo, hi int) string {
	text := line[lo:hi]
	if lo > 0 {
		text = Mark + text
	}
	if hi < len(line) {
		text += Mark
	}
	return text
}

// fits reports whether line has at most max characters, without counting the
// characters of a line that is too long for its bytes to be so few.
func fits(line string, max int) bool {
	if len(line) <= max {
		return true
	}
	return max > 0 && (len(line)-1)/utf8.UTFMax < max && utf8.RuneCountInString(line) <= max
}

// forward counts at most n characters of line[from:to] and returns the count
// and the byte after the last of them.
func forward(line string, from, to, n int) (chars, at int) {
	at = from
	for chars < n && at < to {
		_, w := utf8.DecodeRuneInString(line[at:to])
		at += w
		chars++
	}
	return chars, at
}

// back counts at most n characters before byte from and returns the count and
// the byte at which the first of them begins.
func back(line string, from, n int) (chars, at int) {
	at = from
	for chars < n && at > 0 {
		_, w := utf8.DecodeLastRuneInString(line[:at])
		at -= w
		chars++
	}
	return chars, at
}

// align moves a byte offset that is inside a character to its begin, or with
// up to its end.
func align(line string, at int, up bool) int {
	for i := 1; i < utf8.UTFMax && at-i >= 0 && at < len(line); i++ {
		if !utf8.RuneStart(line[at-i]) {
			continue
		}
		if _, w := utf8.DecodeRuneInString(line[at-i:]); w > i {
			if up {
				return at - i + w
			}
			return at - i
		}
		break
	}
	return at
}

func clamp(v, lo, hi int) int { return max(lo, min(v, hi)) }
