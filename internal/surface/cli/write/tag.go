package write

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

func newTag(p *command.Program) *cobra.Command {
	return tagCommand(p, &cobra.Command{
		Use:   "tag REF TAG...",
		Short: "Add tags to a page, or to many",
		Long: `Add tags to the page's metadata. Tags that it has already stay as they are. With
--where, all pages that meet its conditions are tagged: one write, which one
undo takes back. See: cairn help search-language`,
		Example: `  cairn tag people/ada mathematics pioneer
  cairn tag --where "path:people type:person" contact
  cairn tag people/ada '#pioneer' --dry-run`,
	}, func(tags []string, req *change.TagRequest) { req.Add = tags })
}

func newUntag(p *command.Program) *cobra.Command {
	return tagCommand(p, &cobra.Command{
		Use:   "untag REF TAG...",
		Short: "Remove tags from a page, or from many",
		Long: `Remove tags from the page's metadata. A tag in the text, as #tag, is refused,
with its line: edit the text to remove it.`,
		Example: `  cairn untag people/ada draft
  cairn untag --where "tag:draft after:2026-01-01" draft
  cairn untag people/ada draft --expected-version 4`,
	}, func(tags []string, req *change.TagRequest) { req.Remove = tags })
}

func tagCommand(p *command.Program, cmd *cobra.Command, set func([]string, *change.TagRequest)) *cobra.Command {
	var (
		w  command.Writing
		by command.Conditions
	)
	cmd.Args = by.Need(command.AtLeast(1, "TAG"), command.AtLeast(2, "REF and TAG"))
	cmd.ValidArgsFunction = p.Refs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ref, tags := by.Args(args)
		return p.RunWrite(cmd, &w, func(a *memory.Session, opts api.WriteOptions) (api.Written, error) {
			req := change.TagRequest{WriteOptions: opts, Ref: ref, Where: by.List()}
			set(tags, &req)
			return change.Tag(cmd.Context(), a, req)
		})
	}
	by.AddFlags(cmd)
	w.AddFlags(cmd)
	return cmd
}
