package history

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type historyOptions struct {
	command.Paging
	history.ListRequest
}

func newHistory(p *command.Program) *cobra.Command {
	var o historyOptions
	cmd := &cobra.Command{
		Use:   "history [REF]",
		Short: "List the versions of a page",
		Long: `List the versions of a page, newest first, with author, operation and reason. In
a guarded space it names their git commits, too. Without REF: the latest changes
of the space, as cairn recent does. --deleted lists deleted pages that can be
restored.`,
		Example: `  cairn history people/ada
  cairn history people/ada --json
  cairn history --deleted`,
		Args:              command.Need("[REF]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !o.Deleted {
				return runRecent(cmd.Context(), p, recentOptions{Paging: o.Paging})
			}
			o.Ref = strings.Join(args, "")
			return runHistory(cmd.Context(), p, o)
		},
	}
	cmd.Flags().BoolVar(&o.Deleted, "deleted", false, "list deleted pages")
	o.AddFlags(cmd, 50)
	return cmd
}

func runHistory(ctx context.Context, p *command.Program, o historyOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.Show, o.Skip
	list := func(a *memory.Session) error {
		l, err := history.List(ctx, a, o.ListRequest)
		if err != nil {
			return err
		}
		return printVersions(p, l, o.Ref == "")
	}
	if o.Deleted {
		return p.WithFresh(ctx, false, list)
	}
	return p.WithApp(ctx, command.Synced, list)
}

// printVersions prints states of one page, or with refs of several.
func printVersions(p *command.Program, l api.List[api.Version], refs bool) error {
	l = command.Listed(l)
	return p.Record(l, func(o *terminal.Page) {
		t := terminal.NewTable("WRITE", "WHEN", "VERSION", "CHANGE", "BY", "WHY", "GIT").Extra(5, 6)
		if refs {
			t = terminal.NewTable("WRITE", "WHEN", "TITLE", "PAGE", "CHANGE", "BY", "WHY", "GIT").Extra(6, 7).Spare(7, 6, 5)
		}
		for _, v := range l.Items {
			what := string(v.Change)
			if v.Pruned {
				what += ", text not kept"
			}
			commit := v.Commit[:min(len(v.Commit), shortCommit)]
			if refs {
				t.Row(v.Write, v.At, o.Style.Title(cmp.Or(v.Title, v.Path)), command.RefName(v.Ref, v.Page), what, v.Actor, why(v), commit)
			} else {
				t.Row(v.Write, v.At, v.Version, what, v.Actor, why(v), commit)
			}
		}
		t.Print(o)
		if len(l.Items) == 0 {
			o.Linef("no changes")
		}
		command.More(o, l, "change")
	}, func(o *terminal.Page) {
		for _, v := range l.Items {
			o.Linef("%s\t%d\t%s\t%s\t%s", v.Ref, v.Version, string(v.Change), v.At.Format("2006-01-02T15:04:05Z07:00"), v.Actor)
		}
	})
}

// shortCommit is how much of the id of a commit a table shows.
const shortCommit = 10

// why is the reason that was given, else the command, unless the actor says it.
func why(v api.Version) string {
	switch {
	case v.Message != "":
		return v.Message
	case v.Op == v.Actor:
		return ""
	}
	return v.Op
}

func newDiff(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "diff [REF] [FROM] [TO]",
		Short: "Show what changed between two versions",
		Long: `Print the difference between two versions of a page as a unified diff: between
the last two, between FROM and the newest, or between FROM and TO. Without REF:
the latest change of the space.`,
		Example: `  cairn diff people/ada
  cairn diff people/ada 2
  cairn diff people/ada 2 5`,
		Args:              command.Need("[REF]", "[FROM]", "[TO]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return runLastDiff(cmd.Context(), p)
			}
			req := history.DiffRequest{Ref: args[0]}
			var err error
			for i, to := range []*int{&req.From, &req.To} {
				if len(args) > i+1 {
					if *to, err = command.ParseVersion(args[i+1]); err != nil {
						return err
					}
				}
			}
			return runDiff(cmd.Context(), p, req)
		},
	}
}

func runDiff(ctx context.Context, p *command.Program, req history.DiffRequest) error {
	return p.WithApp(ctx, command.Synced, func(a *memory.Session) error {
		d, err := history.Compare(ctx, a, req)
		if err != nil {
			return err
		}
		if d.Diff == "" {
			p.Note("versions %d and %d of %s are the same", d.From, d.To, d.Ref)
		}
		return p.Content(d.Diff, d, (*terminal.Page).Diff)
	})
}

// runLastDiff shows what the latest change of the space did to its page.
func runLastDiff(ctx context.Context, p *command.Program) error {
	return p.WithFresh(ctx, false, func(a *memory.Session) error {
		l, err := history.Recent(ctx, a, history.RecentRequest{Since: "1970-01-01", Limit: 1})
		if err != nil {
			return err
		}
		if len(l.Items) == 0 {
			return kb.Errorf(kb.NotFound, "no page has changed yet")
		}
		last := l.Items[0]
		d, err := history.Compare(ctx, a, history.DiffRequest{Ref: last.Ref, To: last.Version})
		if err != nil {
			return err
		}
		return p.Content(d.Diff, d, (*terminal.Page).Diff)
	})
}

func newRestore(p *command.Program) *cobra.Command {
	var w command.Writing
	cmd := &cobra.Command{
		Use:   "restore REF [VERSION]",
		Short: "Bring back an older version, or a deleted page",
		Long: `Make an older version of a page its newest one. Nothing is lost: the present
text stays in the history. Without VERSION a deleted page comes back with its
last text, and another page with the text before its newest version.`,
		Example: `  cairn restore people/ada 3
  cairn restore inbox/scratch
  cairn restore people/ada 3 --dry-run`,
		Args:              command.Need("REF", "[VERSION]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n := 0
			if v := command.Second(args); v != nil {
				var err error
				if n, err = command.ParseVersion(*v); err != nil {
					return err
				}
			}
			return p.RunWrite(cmd, &w, func(a *memory.Session, opts api.WriteOptions) (api.Written, error) {
				return change.Restore(cmd.Context(), a, change.RestoreRequest{WriteOptions: opts, Ref: args[0], Version: n})
			})
		},
	}
	w.AddFlags(cmd)
	return cmd
}
