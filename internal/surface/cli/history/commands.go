package history

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// Commands returns the commands of this group.
func Commands(p *command.Program) []*cobra.Command {
	return []*cobra.Command{
		command.Lists[api.Version](p, newRecent(p)),
		command.Lists[api.Version](p, newHistory(p)),
		newDiff(p),
		newRestore(p),
		newUndo(p),
		newRedo(p),
		newSessions(p),
		command.Lists[api.WorkSession](p, newUnreviewed(p)),
		newChange(p),
		newReview(p),
		newBlame(p),
		newActivity(p),
		newForget(p),
	}
}
