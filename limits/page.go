package limits

// Page returns how many items, from the first, fit on a page of at most
// maxItems items and maxChars characters; size reports the characters of item
// i, and is asked only about items that may fit and the one that ends the page.
// The result is at least 1 when n > 0, so that paging always moves on.
func Page(n, maxItems, maxChars int, size func(i int) int) int {
	if n <= 0 {
		return 0
	}
	used := max(size(0), 0)
	fit := 1
	for fit < min(n, maxItems) {
		s := max(size(fit), 0)
		if s > maxChars-used { // not used+s > maxChars, which may overflow
			break
		}
		used += s
		fit++
	}
	return fit
}
