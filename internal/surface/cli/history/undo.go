package history

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/review"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

type undoOptions struct {
	command.Writing
	history.UndoRequest
}

type redoOptions struct {
	command.Writing
	history.RedoRequest
}

func newUndo(p *command.Program) *cobra.Command {
	var o undoOptions
	cmd := &cobra.Command{
		Use:   "undo [WRITE]",
		Short: "Undo a write, or everything somebody wrote",
		Long: `Undo the last write in the current space, the write of a number as recent
and history show it, or all that one actor wrote in the current space since a
time. With --all it is the last write in any space, or all of the actor's in all
of them. Undo again to go one write further back; cairn redo goes forward. An
undo is a write itself and can be undone by its number.

An agent undoes its own writes only; a person undoes those of everybody.

A page that was changed again since is left as it is, and named. With --force
the change is removed from such a page where nobody touched it since: lines,
list items, metadata keys and sections that others changed stay as they are. If
changes overlap, the page is left unchanged, and its lines are named. A page
that the undone write created and others changed since is never deleted.

With --last it is all writes of the author of WRITE up to that one, as cairn
sessions names them; with --page only one page of them, and with --hunk only the
part of its difference that begins at this line of the new text, the second
number of its @@ line.

Here --actor selects the writes to undo.`,
		Example: `  cairn undo
  cairn undo 42 --dry-run
  cairn undo 42 --force --dry-run
  cairn undo 42 --last 48 --page people/ada --dry-run
  cairn undo --actor claude-code --since "2 hours"`,
		Args: command.Need("[WRITE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.which(cmd, args); err != nil {
				return err
			}
			return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				o.WriteOptions = w
				return review.Undo(cmd.Context(), a, o.UndoRequest)
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.StringVar(&o.Actor, "actor", "", "undo what this actor wrote: a `name`, or kind:name")
	f.StringVar(&o.Since, "since", "", "with --actor: since this `time`")
	f.Int64Var(&o.Last, "last", 0, "all writes of the author of WRITE up to this `write`")
	f.StringVar(&o.Page, "page", "", "only this page: a `ref`")
	f.IntVar(&o.Hunk, "hunk", 0, "with --page: only the part of the difference that begins at this `line`")
	f.BoolVarP(&o.All, "all", "a", false, "look in all spaces")
	f.BoolVar(&o.Force, "force", false, "take it out of pages that were changed since, where changes do not touch")
	o.AddFlags(cmd)
	return cmd
}

func newRedo(p *command.Program) *cobra.Command {
	var o redoOptions
	cmd := &cobra.Command{
		Use:   "redo",
		Short: "Redo an undone write",
		Long: `Bring back what the last undo in the current space took back; again, and the one
before it comes back. With --all it is the last undo in any space, and for an
agent the last of its own.

Writing something else ends what can be redone. The number of an undo, as recent
shows it, takes it back at any time: cairn undo N.`,
		Example: `  cairn undo && cairn redo
  cairn redo --dry-run`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.RunWrite(cmd, &o.Writing, func(a *memory.Session, w api.WriteOptions) (api.Written, error) {
				o.WriteOptions = w
				return change.Redo(cmd.Context(), a, o.RedoRequest)
			})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.BoolVarP(&o.All, "all", "a", false, "look in all spaces")
	f.BoolVar(&o.Force, "force", false, "bring it back also into pages that were changed since, where changes do not touch")
	o.AddFlags(cmd)
	return cmd
}

// which reads the write to take back.
func (o *undoOptions) which(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 1 && o.Actor+o.Since != "":
		return command.UsageError(cmd, "%s takes either WRITE or --actor and --since", cmd.CommandPath())
	case (o.Actor == "") != (o.Since == ""):
		return command.UsageError(cmd, "--actor and --since go together")
	case len(args) == 0 && (o.Last != 0 || o.Page != ""):
		return command.UsageError(cmd, "--last and --page need WRITE")
	case len(args) == 0:
		return nil
	}
	n, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || n < 1 {
		return command.UsageError(cmd, "%q is not the number of a write; cairn recent shows them", args[0])
	}
	o.Write = n
	return nil
}

// sinceSession asks for the changes since the caller's last session.
const sinceSession = "session"

type recentOptions struct {
	command.Paging
	history.RecentRequest
}

func newRecent(p *command.Program) *cobra.Command {
	var o recentOptions
	cmd := &cobra.Command{
		Use:   "recent",
		Short: "List the latest changes",
		Long: `List the latest changes of the space, newest first, with their authors and the
number that undo takes. Here --actor selects the changes to list.
--since session lists what changed since your last session: since the last
change that cairn prime has shown you, else since your own last write.`,
		Example: `  cairn recent
  cairn recent --since yesterday --all
  cairn recent --since session
  cairn recent --since "2 days" --actor claude-code --json`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runRecent(cmd.Context(), p, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Since, "since", "", "only changes since this `time`, or session: your last (default: 7 days)")
	f.StringVar(&o.Actor, "actor", "", "only changes by this actor: a `name`, or kind:name")
	f.BoolVarP(&o.All, "all", "a", false, "list all spaces")
	o.AddFlags(cmd, 20)
	return cmd
}

func runRecent(ctx context.Context, p *command.Program, o recentOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	o.Limit, o.Offset = o.Show, o.Skip
	return p.WithFresh(ctx, o.All, func(a *memory.Session) error {
		if o.Since == sinceSession {
			seq, err := brief.LastSession(ctx, a)
			if err != nil {
				return err
			}
			o.Since, o.After = "", seq
		}
		l, err := history.Recent(ctx, a, o.RecentRequest)
		if err != nil {
			return err
		}
		return printVersions(p, l, true)
	})
}
