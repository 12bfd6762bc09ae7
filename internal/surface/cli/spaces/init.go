package spaces

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
)

// memoryInfo is what init answers.
type memoryInfo struct {
	Database string `json:"database"`
	Created  bool   `json:"created"`
}

func newInit(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "init [PATH]",
		Short: "Make the memory",
		Long: `Create the memory's database, readable by you alone. An existing memory stays
as it is. You rarely need this: any command that writes creates the memory.

With PATH it is made there, as with --db. Other commands use it when they are
given --db PATH, or when CAIRN_DB or the setting db names it.`,
		Example: "  cairn init\n  cairn init ~/work/memory.db",
		Args:    command.Need("[PATH]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if p.Flags.DB != "" {
					return command.UsageError(cmd, "PATH and --db both name the database: give one of them")
				}
				if err := p.MayWrite(cmd.Context(), "init "+args[0], args[0]); err != nil {
					return err
				}
				p.Flags.DB = args[0]
			}
			return runInit(cmd.Context(), p)
		},
	}
}

func runInit(ctx context.Context, p *command.Program) error {
	path, err := space.DatabasePath(p.Place())
	if err != nil {
		return err
	}
	there, err := backup.Exists(ctx, p.Place())
	if err != nil {
		return err
	}
	info := memoryInfo{Database: path, Created: !there}
	return p.WithApp(ctx, command.Create, func(*memory.Session) error {
		return p.Did(info, func(o *terminal.Page) {
			verb := "there is a memory at"
			if info.Created {
				verb = "made a memory at"
			}
			o.Linef("%s %s", verb, o.Style.Title(path))
			o.Linef("%s", o.Style.Aside("next: cairn space add DIR"))
		}, func(o *terminal.Page) { o.Linef("%s", path) })
	})
}
