package care

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newIndex(p *command.Program) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Regenerate the index files of a space",
		Long: `Make the index files of a space: tables of its pages by type, with title, id,
summary, projects and the day of the last change, for readers of the directory.
The table [index] of the space's policy turns them on. Each write brings them up
to date; this is for edits by other programs.

With --check nothing is written, and the exit code is 5 when a file is missing,
out of date or was edited.`,
		Example: `  cairn index
  cairn index --check`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			stale := 0
			err := p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
				r, err := change.UpdateIndexFiles(cmd.Context(), a, check)
				if err != nil {
					return err
				}
				stale = len(r.Stale)
				return p.Record(r, func(out *terminal.Page) {
					for _, path := range r.Stale {
						out.Linef("%s", out.Style.Title(path))
					}
					if stale == 0 {
						out.Linef("index of %s: up to date", r.Space)
					}
				}, func(out *terminal.Page) {
					for _, path := range r.Stale {
						out.Linef("%s", path)
					}
				})
			})
			if err == nil && check && stale > 0 {
				return command.ErrFaults
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "write nothing, and exit with 5 when a file is not up to date")
	return cmd
}
