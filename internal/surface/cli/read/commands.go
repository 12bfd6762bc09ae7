package read

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// Commands returns the commands of this group.
func Commands(p *command.Program) []*cobra.Command {
	return []*cobra.Command{
		command.Lists[app.Hit](p, newSearch(p)),
		command.Lists[app.Served](p, newQuery(p)),
		newGet(p),
		command.Lists[app.Page](p, newList(p)),
		command.Lists[app.Dir](p, newLs(p)),
		command.Lists[app.Link](p, newLinks(p)),
		command.Lists[app.Link](p, newBacklinks(p)),
		newGraph(p), newMap(p), newProject(p), newBuildContext(p),
		command.Lists[app.Assertion](p, newAssertions(p)),
		command.Lists[app.Count](p, newTags(p)),
		command.Lists[app.Entry](p, newTimeline(p)),
		command.Lists[app.Task](p, newTasks(p)),
		command.Lists[app.Gap](p, newGaps(p)),
		newBriefing(p),
		newContext(p),
		newStatus(p),
		newShow(p),
		newStats(p),
		newPrime(p),
	}
}
