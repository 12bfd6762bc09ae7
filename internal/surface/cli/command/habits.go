package command

import (
	"strings"

	"github.com/spf13/cobra"
)

// meant returns the commands below cmd that somebody who is used to another
// program means by a name.
func meant(cmd *cobra.Command, name string) (found []*cobra.Command) {
	if cmd.HasParent() {
		return nil
	}
	for _, path := range Commands(name) {
		if c, rest, err := cmd.Find(strings.Fields(path)); err == nil && len(rest) == 0 && c != cmd {
			found = append(found, c)
		}
	}
	return found
}

// meaning describes commands, a line for each.
func meaning(cmds []*cobra.Command) string {
	lines := make([]string, len(cmds))
	for i, c := range cmds {
		lines[i] = c.CommandPath() + ": " + c.Short
	}
	return strings.Join(lines, "\n")
}
