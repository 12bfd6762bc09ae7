package spaces

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

type syncOptions struct {
	gitsync.SyncRequest
	all, wait bool
}

func newSync(p *command.Program) *cobra.Command {
	var o syncOptions
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Read what changed in a directory of notes",
		Long: `Read the files of the space that are new, changed, moved or deleted since the
last sync. It never modifies your notes. Searches and lists sync on their own,
as do commands given an unknown page name. Other commands see what the last sync
saw.

In a guarded space sync then commits what other programs wrote and have left
alone, as cairn commit does, and the writes that wait for their commits. What
could not be committed is named with the reason; it exits with 6 when a hook of
git has refused.

When more than half of the files are gone, which is more often an unmounted disk
than a wish, sync stops and asks for --yes.`,
		Example: `  cairn sync
  cairn sync --dry-run
  cairn sync --all
  cairn sync --in ~/notes --full`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runSync(cmd.Context(), p, o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "sync all directory spaces")
	f.BoolVar(&o.DryRun, "dry-run", false, "change nothing; print what would be done")
	f.BoolVar(&o.Full, "full", false, "read every file again, also those that look unchanged")
	f.BoolVar(&o.wait, "wait", false, "wait until all pages are embedded")
	f.BoolVarP(&o.Yes, "yes", "y", false, "go on when more than half of the files are gone")
	return cmd
}

func runSync(ctx context.Context, p *command.Program, o syncOptions) error {
	if o.all {
		o.Space = "*"
	}
	return p.WithApp(ctx, command.Existing, func(a *memory.Session) error {
		bar := p.Progress()
		o.Progress = bar.Report
		reports, err := gitsync.Sync(ctx, a, o.SyncRequest)
		bar.Stop()
		if err != nil {
			return command.GoesOn(ctx, err, "Synced files are kept: the next sync continues.")
		}
		for _, r := range reports {
			noteFailures(p, r)
			noteSidecars(p, r)
			noteTwins(p, r)
			noteSharedIDs(p, r)
		}
		err = p.Did(command.Whole(reports), func(out *terminal.Page) {
			for _, r := range reports {
				reportLines(out, r)
			}
			if len(reports) == 0 {
				out.Linef("no directory spaces")
			}
		}, func(out *terminal.Page) {
			for _, r := range reports {
				out.Linef("%s\t%d\t%d\t%d\t%d\t%d", r.Space, len(r.Added), len(r.Changed), len(r.Moved), len(r.Deleted), r.Unchanged)
			}
		})
		if err == nil {
			err = p.EmbedSynced(ctx, a, reports, o.wait)
		}
		for _, r := range reports {
			if err == nil && r.Commit != nil && r.Commit.Refused != nil && r.Commit.Refused.Code == kb.Refused {
				err = command.ErrRefused
			}
		}
		return err
	})
}

// reportLines prints what a sync did; of a dry run, each file.
func reportLines(o *terminal.Page, r api.SyncReport) {
	verb := "synced"
	if r.DryRun {
		verb = "would sync"
		for _, group := range []struct {
			mark  string
			paths []string
		}{{"new", r.Added}, {"changed", r.Changed}, {"gone", r.Deleted}} {
			for _, path := range group.paths {
				o.Linef("%-8s %s", group.mark, path)
			}
		}
		for _, m := range r.Moved {
			o.Linef("%-8s %s -> %s", "moved", m.From, m.To)
		}
	}
	o.Linef("%s %s: %d new, %d changed, %d moved, %d gone, %d unchanged %s", verb, o.Style.Title(r.Space),
		len(r.Added), len(r.Changed), len(r.Moved), len(r.Deleted), r.Unchanged,
		o.Style.Aside(fmt.Sprintf("(%d ms)", r.Millis)))
	if n := len(r.Skipped); n > 0 {
		o.Linef("%s", o.Style.Aside(terminal.Count(n, "file")+" left out; --json names each with the reason"))
	}
	if c := r.Commit; c != nil && len(c.Files) > 0 {
		o.Linef("%s", o.Style.Aside("committed "+terminal.Count(len(c.Files), "file")+" that other programs wrote"))
	}
	if c := r.Commit; c != nil && c.Held > 0 {
		o.Linef("%s", o.Style.Aside("made "+terminal.Count(c.Held, "commit")+" that waited"))
	}
	if c := r.Commit; c != nil && len(c.Left) > 0 {
		o.Linef("%s", o.Style.Aside(terminal.Count(len(c.Left), "fault")+" keep files from being committed; cairn lint names them"))
	}
	if c := r.Commit; c != nil && c.Refused != nil {
		o.Linef("%s: %s", o.Style.Bad("not committed"), c.Refused.Message)
		if c.Refused.Hint != "" {
			o.Textf(2, "%s", c.Refused.Hint)
		}
	}
	if r.Warnings > 0 {
		o.Linef("%s", o.Style.Aside(terminal.Count(r.Warnings, "document")+" with problems; cairn doctor lists them"))
	}
}

// twinsNamed is how many pairs of a sync are named. Without a limit, each sync
// would list all of them again.
const twinsNamed = 5

// noteSidecars names those that are not used.
func noteSidecars(p *command.Program, r api.SyncReport) {
	for i, s := range r.Sidecars {
		if i == twinsNamed {
			p.Note("warning: %s more like these in %s; --json names each", terminal.Count(len(r.Sidecars)-i, "sidecar"), r.Space)
			return
		}
		p.Note("warning: sidecar not used: %s: %s", s.Path, s.Reason)
	}
}

// noteTwins names the files that other systems could not keep apart.
func noteTwins(p *command.Program, r api.SyncReport) {
	for i, t := range r.Twins {
		if i == twinsNamed {
			p.Note("warning: %s more like these in %s; --json names each", terminal.Count(len(r.Twins)-i, "pair"), r.Space)
			return
		}
		one, other := t.Other, t.Path
		if !strings.EqualFold(one, other) { // they may look the same
			one, other = strconv.QuoteToASCII(one), strconv.QuoteToASCII(other)
		}
		p.Note("warning: %s and %s are one name on macOS and Windows", one, other)
	}
}

// noteSharedIDs names the ids that several documents have.
func noteSharedIDs(p *command.Program, r api.SyncReport) {
	for i, s := range r.SharedIDs {
		if i == twinsNamed {
			p.Note("warning: %s more like these in %s; --json names each", terminal.Count(len(r.SharedIDs)-i, "id"), r.Space)
			return
		}
		p.Note("warning: %s", s.Text)
	}
}

// noteFailures names the files that a sync could not read.
func noteFailures(p *command.Program, r api.SyncReport) {
	for _, s := range r.Failed {
		p.Note("warning: %s: %s", s.Path, s.Reason)
	}
	for _, s := range r.LeftOut {
		p.Note("warning: %s is left out until it changes: %s", s.Path, s.Reason)
	}
}
