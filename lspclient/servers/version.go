package servers

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// versionPattern finds a version in what a program says of itself: "v0.23.0" in
// "golang.org/x/tools/gopls v0.23.0", "22.1.8" in "Debian clangd version 22.1.8
// (1~deb12u1)".
var versionPattern = regexp.MustCompile(`(?:^|[\s(])(v?[0-9]+(?:\.[0-9]+)+[^\s(),]*)`)

// parseVersion returns the first version in a program's words, "" if there is
// none.
func parseVersion(output string) string {
	found := versionPattern.FindStringSubmatch(output)
	if found == nil {
		return ""
	}
	return found[1]
}

var plainVersion = regexp.MustCompile(`^v?[0-9]+(\.[0-9]+)*(-[0-9A-Za-z.-]+)?$`)

// isVersion says whether a text can be compared as a version.
func isVersion(text string) bool { return plainVersion.MatchString(text) }

// compareVersions orders two versions by their numbers; missing ones count as 0,
// and a pre-release goes before its release.
func compareVersions(a, b string) int {
	numbersA, preA := splitVersion(a)
	numbersB, preB := splitVersion(b)
	for i := range max(len(numbersA), len(numbersB)) {
		if c := cmp.Compare(at(numbersA, i), at(numbersB, i)); c != 0 {
			return c
		}
	}
	switch {
	case preA == preB:
		return 0
	case preA == "":
		return 1
	case preB == "":
		return -1
	}
	return cmp.Compare(preA, preB)
}

func splitVersion(version string) (numbers []int, pre string) {
	version = strings.TrimPrefix(version, "v")
	version, _, _ = strings.Cut(version, "+")
	version, pre, _ = strings.Cut(version, "-")
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		numbers = append(numbers, n)
	}
	return numbers, pre
}

func at(numbers []int, i int) int {
	if i < len(numbers) {
		return numbers[i]
	}
	return 0
}
