package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A choice is the value of a flag that takes one of a few words.
type choice struct {
	value   string
	allowed []string
}

func (c *choice) String() string { return c.value }

func (c *choice) Type() string { return strings.Join(c.allowed, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("it must be one of %s", strings.Join(c.allowed, ", "))
	}
	c.value = s
	return nil
}

// choiceFlag adds a flag that takes one of the words allowed; value is the
// default.
func choiceFlag(cmd *cobra.Command, name, value, help string, allowed ...string) *choice {
	c := &choice{value: value, allowed: allowed}
	cmd.Flags().Var(c, name, help)
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
	return c
}
