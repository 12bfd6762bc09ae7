package spaces

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
)

// Commands returns the commands of this group.
func Commands(p *command.Program) []*cobra.Command {
	return []*cobra.Command{
		newInit(p),
		newSpace(p),
		newCollection(p),
		command.Lists[api.SyncReport](p, newSync(p)),
		newImport(p),
		command.Lists[importer.Imported](p, newImports(p)),
		newExport(p),
		newJournal(p),
		newEmbed(p),
		newModel(p),
		newServe(p),
		newWeb(p),
	}
}
