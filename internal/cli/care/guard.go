package care

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/cli/command"
	"github.com/cairn-kb/cairn/internal/terminal"
)

func newCommit(p *command.Program) *cobra.Command {
	var req app.CommitRequest
	cmd := &cobra.Command{
		Use:   "commit [REF...]",
		Short: "Commit what other programs wrote",
		Long: `Commit what editors and other programs wrote in a guarded space, in one commit
of these files, and make the commits of writes that still wait. A document with
a fatal fault stays as it is and is named; so does a file that you have staged.

Exits with 5 when a document has a fatal fault.`,
		Example: `  cairn commit --all
  cairn commit principles/small-functions
  cairn commit --all --dry-run`,
		Args:              command.Need("[REF...]"),
		ValidArgsFunction: p.Refs(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Refs = args
			if req.All == (len(args) > 0) {
				return command.UsageError(cmd, "commit takes pages, or --all")
			}
			left := 0
			err := p.WithApp(cmd.Context(), command.Existing, func(a *app.App) error {
				r, err := a.Spaces().Commit(cmd.Context(), req)
				if err != nil {
					return err
				}
				left = len(r.Left)
				return p.Record(r, func(out *terminal.Page) {
					for _, f := range r.Left {
						out.Linef("%s: %s: %s (%s)", out.Style.Title(faultPlace(f)), out.Style.Bad("left"), f.Message, f.Rule)
					}
					for _, path := range r.Staged {
						out.Linef("%s: staged, and left to you", out.Style.Title(path))
					}
					did := "committed"
					if r.DryRun {
						did = "would be committed"
					}
					out.Linef("%s %s", terminal.Count(len(r.Files), "file"), did)
					if r.Held > 0 {
						out.Linef("%s that waited", terminal.Count(r.Held, "commit"))
					}
				}, func(out *terminal.Page) {
					for _, path := range r.Files {
						out.Linef("%s", path)
					}
				})
			})
			if err == nil && left > 0 {
				return command.ErrFaults
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&req.All, "all", false, "all of the space")
	f.BoolVar(&req.DryRun, "dry-run", false, "only say what would be committed")
	f.StringVarP(&req.Message, "message", "m", "", "`text` for the commit")
	return cmd
}

func newPush(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "push",
		Short: "Push what a guarded space has committed",
		Long: `Push the commits of the space to the branch of a remote that its branch follows.
Nothing is forced: when the remote has commits that are missing here, they are
fetched and counted, and all stays as it is.

cairn serve and cairn maintain do it by themselves, every 15 minutes, where the
space's policy has push = true in [guard]. How the last push ended stands in
cairn doctor.`,
		Example: `  cairn push
  cairn push --space kb`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *app.App) error {
				r, err := a.Spaces().Push(cmd.Context())
				if err != nil {
					return err
				}
				say := func(out *terminal.Page) {
					out.Linef("%s of %s pushed to %s", terminal.Count(r.Pushed, "commit"), r.Branch, r.Upstream)
				}
				return p.Record(r, say, say)
			})
		},
	}
}
