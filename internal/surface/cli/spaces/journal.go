package spaces

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/transfer/exporter"
)

func newJournal(p *command.Program) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "journal",
		Short: "Export the journal of the space",
		Long:  "Export the journal of the space, as [journal] in its policy says.",
	}, newJournalExport(p))
}

func newJournalExport(p *command.Program) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write the journal into a directory, without private parts",
		Long: `Write the pages of the journal into a directory, such as one of another vault,
and bring it up to date when you do so again. Text excluded by the page of rules
is left out, and credentials are redacted. A page that opts out in its metadata
(no_journal_export: true in the preset context), or with unreadable metadata, is
not exported; an earlier export of it is removed. Files in the directory that
you changed stay as they are and are listed as kept. A symbolic link, a
directory or the like with the name of a file is listed as blocked, the others
are exported, and the exit code is 4. An export that was stopped is finished by
the next one.`,
		Example: "  cairn journal export ~/Obsidian/Diary --dry-run\n  cairn journal export ~/Obsidian/Diary",
		Args:    command.Need("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
				r, err := exporter.ExportJournal(cmd.Context(), a, exporter.JournalRequest{Dir: p.Place().Absolute(args[0]), DryRun: dryRun})
				if err != nil {
					return err
				}
				lists := []struct {
					what  string
					names []string
				}{{"written", r.Written}, {"removed", r.Removed}, {"withheld", r.Withheld}, {"kept", r.Kept}}
				err = p.Did(r, func(o *terminal.Page) {
					verb := "exported"
					if r.DryRun {
						verb = "would export"
					}
					o.Linef("%s %s of %s to %s, %d unchanged", verb, terminal.Count(len(r.Written), "page"), o.Style.Title(r.Space), r.Dir, r.Same)
					for _, l := range lists[1:] {
						for _, name := range l.names {
							o.Linef("%s %s", l.what, name)
						}
					}
					for _, b := range r.Blocked {
						o.Linef("blocked %s: %s", b.Name, b.Reason)
					}
					for _, n := range r.Notes {
						o.Linef("note: %s", n)
					}
				}, func(o *terminal.Page) {
					for _, l := range lists {
						for _, name := range l.names {
							o.Linef("%s\t%s", l.what, name)
						}
					}
					for _, b := range r.Blocked {
						o.Linef("blocked\t%s", b.Name)
					}
				})
				if err == nil && len(r.Blocked) > 0 {
					return command.ErrConflicts
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "list what would be done; write nothing")
	return cmd
}
