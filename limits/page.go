package limits

// Page returns how many items, from the first, fit on a page of at most
// maxItems items and maxChars characters; size reports the characters of item
// i. It is at least 1 when n > 0, so that paging always moves on.
func Page(n, maxItems, maxChars int, size func(i int) int) int { panic("todo") }

// Clip shortens line to about max characters around the bytes [start, end) and
// marks each cut with "…". It never splits a character. clipped reports whether
// something was cut.
func Clip(line string, start, end, max int) (text string, clipped bool) { panic("todo") }
