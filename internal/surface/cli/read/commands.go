package read

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// Commands returns the commands of this group.
func Commands(p *command.Program) []*cobra.Command {
	return []*cobra.Command{
		command.Lists[api.Hit](p, newSearch(p)),
		command.Lists[api.Served](p, newQuery(p)),
		command.Lists[api.Hit](p, newFindAll(p)),
		newGet(p),
		command.Lists[api.Page](p, newList(p)),
		command.Lists[api.Dir](p, newLs(p)),
		command.Lists[api.Link](p, newLinks(p)),
		command.Lists[api.Link](p, newBacklinks(p)),
		newGraph(p), newMap(p), newProject(p), newBuildContext(p),
		command.Lists[api.Assertion](p, newAssertions(p)),
		command.Lists[api.Count](p, newTags(p)),
		command.Lists[api.Entry](p, newTimeline(p)),
		command.Lists[api.Task](p, newTasks(p)),
		command.Lists[api.Gap](p, newGaps(p)),
		newBriefing(p),
		newContext(p),
		newStatus(p),
		newShow(p),
		newStats(p),
		newPrime(p),
	}
}
