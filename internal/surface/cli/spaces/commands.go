package spaces

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// Commands returns the commands of this group.
func Commands(p *command.Program) []*cobra.Command {
	return []*cobra.Command{
		newInit(p),
		newSpace(p),
		newCollection(p),
		command.Lists[app.SyncReport](p, newSync(p)),
		newImport(p),
		command.Lists[app.Imported](p, newImports(p)),
		newExport(p),
		newJournal(p),
		newEmbed(p),
		newModel(p),
		newServe(p),
	}
}
