package limits

import (
	"fmt"
)

// unknown is the error for a limit that does not exist. It suggests the
// nearest name where one is near.
func unknown(name string) error {
	if near := nearest(name); near != "" {
		return fmt.Errorf("limit %s is unknown; did you mean %s?", quote(name), near)
	}
	return fmt.Errorf("limit %s is unknown; server_status lists them all", quote(name))
}

// nearest returns the name of the limit that is the fewest changes of a byte
// away from name, "" when that is more than a third of it. Of equals the first
// in the table wins.
func nearest(name string) string {
	const longest = 40 // no limit has a name near this long
	if len(name) > longest {
		return ""
	}
	best, least := "", len(name)/3+1
	for _, l := range table() {
		if d := distance(name, l.name); d < least {
			best, least = l.name, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete or replace to make b of a
// (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j]+1, row[j+1]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
