package agents

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// Commands returns the commands of this group.
func Commands(p *command.Program) []*cobra.Command {
	return []*cobra.Command{
		newSetup(p),
		newSkills(p),
		newEmacs(p),
		newMCP(p),
		newLSP(p),
		newToolsJSON(p),
		newCall(p),
		newPipe(p),
	}
}
