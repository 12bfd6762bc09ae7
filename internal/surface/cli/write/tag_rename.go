package write

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func newTagRename(p *command.Program) *cobra.Command {
	var (
		w  command.Writing
		by command.Conditions
	)
	cmd := &cobra.Command{
		Use:   "tag-rename OLD NEW",
		Short: "Rename a tag in all pages",
		Long: `Rename a tag in all pages of the space that have it, in their metadata and in
their texts, with the tags below it: idea/new becomes plan/new. It is one write,
which one undo takes back. With --where, only pages that meet its conditions.`,
		Example: `  cairn tag-rename evergreen permanent --dry-run
  cairn tag-rename '#idea' plan --where path:projects`,
		Args:              command.Need("OLD", "NEW"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.RunWrite(cmd, &w, func(a *memory.Session, opts api.WriteOptions) (api.Written, error) {
				where := by.List()
				return change.Change(cmd.Context(), a, change.ChangeRequest{
					WriteOptions: opts, Where: where, Tagged: where == nil,
					Steps: []change.Step{change.EditStep{Edit: doc.RenameTag{Old: args[0], New: args[1]}}},
				})
			})
		},
	}
	by.AddFlags(cmd)
	w.AddFlags(cmd)
	return cmd
}
