package history

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/review"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

type unreviewedOptions struct {
	command.Paging
	review.SessionsRequest
}

func newUnreviewed(p *command.Program) *cobra.Command {
	var o unreviewedOptions
	cmd := &cobra.Command{
		Use:   "unreviewed",
		Short: "List what agents wrote since you last looked",
		Long: `List the sessions of agents since your mark, newest first. A session is the
writes of one agent with pauses of at most half an hour. cairn review seen moves
the mark; until there is one, it is the last week.`,
		Example: `  cairn unreviewed
  cairn unreviewed --since "2 days" --decided
  cairn change 42 48`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Check(); err != nil {
				return err
			}
			o.Limit, o.Offset = o.Show, o.Skip
			return p.WithFresh(cmd.Context(), true, func(a *memory.Session) error {
				l, err := review.Sessions(cmd.Context(), a, o.SessionsRequest)
				if err != nil {
					return err
				}
				return printUnreviewed(p, l)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Since, "since", "", "only changes since this `time` (default: your mark, or a week)")
	f.BoolVar(&o.Decided, "decided", false, "also sessions that you have decided about")
	o.AddFlags(cmd, 20)
	return cmd
}

func printUnreviewed(p *command.Program, l api.WorkSessions) error {
	return p.Record(l, func(o *terminal.Page) {
		t := terminal.NewTable("WRITES", "WHEN", "BY", "PAGES", "WHY").Extra(4)
		for _, s := range l.Items {
			var pages []string
			for _, c := range s.Pages {
				pages = append(pages, c.Ref)
			}
			t.Row(rangeOf(s), s.Until, s.Actor, strings.Join(pages, " "), strings.Join(s.Messages, "; "))
		}
		t.Print(o)
		if len(l.Items) == 0 {
			o.Linef("no sessions since %s", terminal.Moment(l.Since))
		} else {
			o.Linef("all seen? cairn review seen %d", l.Through)
		}
		command.More(o, l.List, "session")
	}, func(o *terminal.Page) {
		for _, s := range l.Items {
			o.Linef("%d\t%d\t%s\t%s\t%d", s.Write, s.Last, s.Actor, s.Until.Format("2006-01-02T15:04:05Z07:00"), len(s.Pages))
		}
	})
}

// rangeOf names a session by its writes.
func rangeOf(s api.WorkSession) string {
	if s.Write == s.Last {
		return strconv.FormatInt(s.Write, 10)
	}
	return strconv.FormatInt(s.Write, 10) + " " + strconv.FormatInt(s.Last, 10)
}

func newChange(p *command.Program) *cobra.Command {
	var req review.ChangeRequest
	cmd := &cobra.Command{
		Use:   "change WRITE [LAST]",
		Short: "Show everything that a write changed",
		Long: `Print the differences that a write made to all pages; with LAST those of all
writes of its actor up to that one, as cairn unreviewed names them. Credentials
are masked.`,
		Example: `  cairn change 42
  cairn change 42 48 --page people/ada`,
		Args: command.Need("WRITE", "[LAST]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if req.Write, req.Last, err = writesOf(cmd, args); err != nil {
				return err
			}
			return p.WithApp(cmd.Context(), command.Synced, func(a *memory.Session) error {
				c, err := review.Change(cmd.Context(), a, req)
				if err != nil {
					return err
				}
				var text strings.Builder
				for _, page := range c.Pages {
					text.WriteString("--- " + page.Ref + " version " + strconv.Itoa(page.From) + "\n+++ " + page.Ref + " version " + strconv.Itoa(page.To) + "\n")
					for _, h := range page.Hunks {
						text.WriteString(h.Diff)
					}
				}
				return p.Content(text.String(), c, (*terminal.Page).Diff)
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&req.Ref, "page", "", "only this page: a `ref`")
	return cmd
}

// writesOf reads the numbers of one write, or of the first and the last.
func writesOf(cmd *cobra.Command, args []string) (first, last int64, err error) {
	for i, to := range []*int64{&first, &last} {
		if i >= len(args) {
			break
		}
		if *to, err = strconv.ParseInt(args[i], 10, 64); err != nil || *to < 1 {
			return 0, 0, command.UsageError(cmd, "%q is not the number of a write; cairn unreviewed shows them", args[i])
		}
	}
	return first, last, nil
}

func newReview(p *command.Program) *cobra.Command {
	var req review.DecideRequest
	var note string
	cmd := &cobra.Command{
		Use:   "review [DO] [WHAT] [LAST]",
		Short: "Keep what agents wrote, or say that you have seen it",
		Long: `Record what you decided about changes. Pages stay as they are; to take changes
back: cairn undo. Alone it prints your mark and what you dismissed. DO is one of

  keep WRITE [LAST]    you keep the writes of a session, or with --page one page of it
  seen CHANGE          you have seen everything up to this change, as unreviewed names it
  dismiss ITEM         an item of the web UI's screen Today needs nothing
  reopen WHAT [LAST]   takes back keep for a write, or dismiss for an item`,
		Example: `  cairn review
  cairn review keep 42 48
  cairn review seen 812
  cairn review dismiss lint:notes:people/ada --note "on purpose"`,
		Args: command.Need("[DO]", "[WHAT]", "[LAST]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			do, err := reviewing(cmd, args, req, note)
			if err != nil {
				return err
			}
			return p.WithApp(cmd.Context(), command.Synced, func(a *memory.Session) error {
				r, err := do(cmd.Context(), a)
				if err != nil {
					return err
				}
				return p.Record(r, func(o *terminal.Page) {
					if r.Seen == 0 {
						o.Linef("no mark yet")
					} else {
						o.Linef("seen up to change %d, on %s", r.Seen, terminal.Moment(r.SeenAt))
					}
					for item, note := range r.Dismissed {
						o.Linef("dismissed: %s %s", item, note)
					}
				}, nil)
			})
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []string{"keep", "seen", "dismiss", "reopen"}, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&req.Ref, "page", "", "keep, reopen: only this page: a `ref`")
	cmd.Flags().StringVar(&note, "note", "", "dismiss: `why`")
	return cmd
}

// reviewing reads what a review does.
func reviewing(cmd *cobra.Command, args []string, req review.DecideRequest, note string) (func(context.Context, *memory.Session) (api.Review, error), error) {
	if len(args) == 0 {
		return review.Read, nil
	}
	if len(args) == 1 {
		return nil, command.UsageError(cmd, "%s %s needs to know what", cmd.CommandPath(), args[0])
	}
	decide := func() (func(context.Context, *memory.Session) (api.Review, error), error) {
		var err error
		req.Write, req.Last, err = writesOf(cmd, args[1:])
		return func(ctx context.Context, a *memory.Session) (api.Review, error) { return review.Decide(ctx, a, req) }, err
	}
	switch args[0] {
	case "keep":
		req.Decision = api.Kept
		return decide()
	case "seen":
		n, _, err := writesOf(cmd, args[1:2])
		return func(ctx context.Context, a *memory.Session) (api.Review, error) { return review.Seen(ctx, a, n) }, err
	case "dismiss":
		return func(ctx context.Context, a *memory.Session) (api.Review, error) {
			return review.Dismiss(ctx, a, args[1], note)
		}, nil
	case "reopen":
		if strings.Trim(args[1], "0123456789") != "" {
			return func(ctx context.Context, a *memory.Session) (api.Review, error) {
				return review.Reopen(ctx, a, args[1])
			}, nil
		}
		return decide()
	}
	return nil, command.UsageError(cmd, "%q is none of keep, seen, dismiss and reopen", args[0])
}

func newBlame(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "blame REF [VERSION]",
		Short: "Show who wrote each line of a page",
		Long: `Print the text of a page with the version, the author and the day of each line.
Lines of versions that have been pruned count as those of the next one.`,
		Example: `  cairn blame people/ada
  cairn blame people/ada 3 --json`,
		Args:              command.Need("REF", "[VERSION]"),
		ValidArgsFunction: p.Refs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req := history.BlameRequest{Ref: args[0]}
			if v := command.Second(args); v != nil {
				var err error
				if req.Version, err = command.ParseVersion(*v); err != nil {
					return err
				}
			}
			return p.WithApp(cmd.Context(), command.Synced, func(a *memory.Session) error {
				b, err := history.Blame(cmd.Context(), a, req)
				if err != nil {
					return err
				}
				t, err := read.Get(cmd.Context(), a, read.GetRequest{Ref: req.Ref, Version: b.Version})
				if err != nil {
					return err
				}
				return p.Content(blamed(b, t.Text), b, command.PlainText)
			})
		},
	}
}

// blamed is the text of a page with the origin of each line before it.
func blamed(b api.Blame, text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	width := 0
	for _, l := range b.Lines {
		width = max(width, len(l.Actor))
	}
	var out strings.Builder
	for _, l := range b.Lines {
		for n := l.From; n <= l.To && n <= len(lines); n++ {
			out.WriteString(pad(strconv.Itoa(l.Version), 4) + " " + l.At.Format("2006-01-02") + " " + l.Actor + strings.Repeat(" ", width-len(l.Actor)) + " | " + lines[n-1] + "\n")
		}
	}
	return out.String()
}

func pad(s string, n int) string { return strings.Repeat(" ", max(0, n-len(s))) + s }

type activityOptions struct{ history.RecentRequest }

func newActivity(p *command.Program) *cobra.Command {
	var o activityOptions
	cmd := &cobra.Command{
		Use:   "activity",
		Short: "Count changes by day and author",
		Long: `Print the number of changes and of changed pages of each author on each day, the
newest day first. Here --actor selects the changes to count.`,
		Example: `  cairn activity
  cairn activity --since "1 year" --all --json`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithFresh(cmd.Context(), o.All, func(a *memory.Session) error {
				l, err := history.CountActivity(cmd.Context(), a, o.RecentRequest)
				if err != nil {
					return err
				}
				return p.Record(l, func(out *terminal.Page) {
					t := terminal.NewTable("DAY", "BY", "CHANGES", "PAGES")
					for _, d := range l.Items {
						t.Row(d.Day, d.Actor, d.Changes, d.Pages)
					}
					t.Print(out)
					if len(l.Items) == 0 {
						out.Linef("no changes")
					}
				}, func(out *terminal.Page) {
					for _, d := range l.Items {
						out.Linef("%s\t%s\t%d\t%d", d.Day, d.Actor, d.Changes, d.Pages)
					}
				})
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Since, "since", "", "only changes since this `time` (default: 30 days)")
	f.StringVar(&o.Actor, "actor", "", "only changes by this actor: a `name`, or kind:name")
	f.BoolVarP(&o.All, "all", "a", false, "count in all spaces")
	return cmd
}
