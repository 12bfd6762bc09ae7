package care

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

func newCommit(p *command.Program) *cobra.Command {
	var req gitsync.Request
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
			err := p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				r, err := gitsync.Commit(cmd.Context(), a, req)
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
	f.BoolVar(&req.DryRun, "dry-run", false, "only list the changes to commit")
	f.StringVarP(&req.Message, "message", "m", "", "`text` for the commit")
	return cmd
}

func newPull(p *command.Program) *cobra.Command {
	var req gitsync.PullRequest
	cmd := &cobra.Command{
		Use:   "pull",
		Short: "Bring in what a guarded space's remote has",
		Long: `Fetch the branch of a remote that the space's branch follows, and bring in its
commits. Where both sides have commits they become one merge commit: page by
page, wherever a page has been moved to, and within a page by paragraphs, list
items and properties. What both added in one place stays, theirs first. Index
files are regenerated.

Nothing changes unless all fits. A conflict is a page that both sides changed in
the same lines, or that one removed and the other changed; it is listed with the
changes of each side. Pull again and choose a side, by --ours PATH or --theirs
PATH; the other text stays in the history of git. To have something of both,
edit the file, commit it with cairn commit, and pull with --ours. Faults that
only both together have are listed as cairn lint lists them.

Exits with 4 when there are conflicts, and with 5 when there are such faults.`,
		Example: `  cairn pull --dry-run
  cairn pull
  cairn pull --theirs go-style.org --ours use-gofmt.org`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var r api.GitPull
			err := p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) (err error) {
				if r, err = gitsync.Pull(cmd.Context(), a, req); err != nil {
					return err
				}
				return p.Record(r, func(out *terminal.Page) { showPull(out, r) }, func(out *terminal.Page) {
					for _, c := range r.Conflicts {
						out.Linef("%s", c.Path)
					}
					for _, path := range r.Files {
						out.Linef("%s", path)
					}
				})
			})
			switch {
			case err == nil && len(r.Conflicts) > 0:
				return command.ErrConflicts
			case err == nil && len(r.Broken) > 0:
				return command.ErrFaults
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&req.DryRun, "dry-run", false, "only fetch, and list the new commits")
	f.StringSliceVar(&req.Ours, "ours", nil, "`path` that stays as it is here")
	f.StringSliceVar(&req.Theirs, "theirs", nil, "`path` to take from the remote")
	return cmd
}

func newMergeDriver(p *command.Program) *cobra.Command {
	var req gitsync.MergeRequest
	cmd := &cobra.Command{
		Use:   "merge-driver BASE OURS THEIRS PATH",
		Short: "Merge a page for git, as pull does",
		Long: `Merge three versions of a page as cairn pull does, for git merge, rebase,
cherry-pick and stash: git calls it by itself in guarded spaces. The versions
are files, PATH is where the page is in the repository, and the result is
written to OURS. It needs no memory.

cairn space add has git do so: .gitattributes sets merge=cairn for *.org, *.md
and the sidecars in .raw, and the configuration of the clone defines that
driver. Both can be removed, and then git merges line by line. An index file
stays, and cairn sync regenerates it.

Exits with 4 where both changed the same lines, which are marked in OURS then.`,
		Example: `  cairn merge-driver base.org ours.org theirs.org notes/gofmt.org`,
		Args:    command.Need("BASE", "OURS", "THEIRS", "PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Top, req.Base, req.Ours, req.Theirs, req.Path = p.Env.Dir, args[0], args[1], args[2], filepath.ToSlash(filepath.Clean(args[3]))
			if !strings.HasPrefix(filepath.Base(args[1]), ".merge_file_") { // git's own file
				if err := p.MayWrite(cmd.Context(), "merge-driver "+strings.Join(args, " "), args[1]); err != nil {
					return err
				}
			}
			fits, err := gitsync.Merge(cmd.Context(), req)
			if err == nil && !fits {
				return command.ErrConflicts
			}
			return err
		},
	}
	cmd.Flags().IntVar(&req.Marks, "marker-size", 0, "how `long` the marks of a conflict are (default 7)")
	return cmd
}

func showPull(out *terminal.Page, r api.GitPull) {
	for _, c := range r.Conflicts {
		out.Linef("%s: %s: %s", out.Style.Title(c.Path), out.Style.Bad("conflict"), c.Why)
		out.Linef("here:")
		out.Diff(c.Here)
		out.Linef("there:")
		out.Diff(c.There)
	}
	for _, f := range r.Broken {
		out.Linef("%s: %s: %s (%s)", out.Style.Title(faultPlace(f)), out.Style.Bad("would be broken"), f.Message, f.Rule)
	}
	switch {
	case len(r.Conflicts) > 0:
		out.Linef("nothing was changed: say which side counts, with --ours PATH or --theirs PATH")
		return
	case len(r.Broken) > 0:
		out.Linef("nothing was changed: mend it here, and cairn commit, or say which side counts")
		return
	case r.Commits == 0:
		out.Linef("%s has all of %s", r.Branch, r.Upstream)
		return
	}
	for _, path := range r.Merged {
		out.Linef("%s: merged", out.Style.Title(path))
	}
	did := "brought in"
	if r.DryRun {
		did = "would be brought in"
	}
	out.Linef("%s of %s %s: %s", terminal.Count(r.Commits, "commit"), r.Upstream, did, terminal.Count(len(r.Files), "file"))
}

func newPush(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "push",
		Short: "Push what a guarded space has committed",
		Long: `Push the commits of the space to the branch of a remote that its branch follows.
Nothing is forced: when the remote has commits that are missing here, they are
fetched and counted, and all stays as it is.

cairn serve and cairn maintain do it by themselves, every 15 minutes, where the
space's policy has push = true in [guard]. cairn doctor shows the result of the
last push.`,
		Example: `  cairn push
  cairn push --space kb`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				r, err := gitsync.Push(cmd.Context(), a)
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
