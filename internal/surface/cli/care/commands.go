package care

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// Commands returns the commands of this group.
func Commands(p *command.Program) []*cobra.Command {
	return []*cobra.Command{
		command.Lists[api.Check](p, newDoctor(p)),
		command.Lists[api.Contradiction](p, newCheck(p)),
		newSchema(p),
		command.Lists[api.Fault](p, newLint(p)),
		newCommit(p),
		newPull(p), newMergeDriver(p),
		newPush(p),
		newIndex(p),
		command.Lists[api.StalePage](p, newStale(p)),
		newCompact(p),
		command.Lists[api.CurationItem](p, newCurate(p)),
		newMaintain(p),
		newConfig(p),
		newDB(p),
		newValidate(p),
		newCompletion(p),
		newMan(p),
		newUninstall(p),
		newVersion(p),
		newUpgrade(p),
	}
}
