package cli

import (
	"fmt"
	"strings"
)

// ExitCodes returns the exit codes as a Markdown table, for the README.
func ExitCodes() string {
	var b strings.Builder
	b.WriteString("| code | meaning |\n|---|---|\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "| %d | %s |\n", c.Code, c.Meaning)
	}
	return b.String()
}
