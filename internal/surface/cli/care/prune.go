package care

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newDBPrune(p *command.Program) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Let the texts of old versions go, as the spaces' retention says",
		Long: `Let the texts of old versions go that the retention of their space does not
keep, and give the room back: see [retention] in the space's policy. Where that
says nothing, everything is kept. History still says that there was a version,
when and by whom. The newest text of a page is always kept, and with it a
deleted page can be restored.

This cannot be undone: see with --dry-run what would go.`,
		Example: "  cairn db prune --dry-run",
		Args:    command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.PersonOnly("db prune", "remove old versions for good"); err != nil {
				return err
			}
			return p.WithApp(cmd.Context(), command.Existing, func(a *memory.Session) error {
				r, err := history.PruneAndCompact(cmd.Context(), a, dryRun)
				if err != nil {
					return err
				}
				return printPruned(p, r)
			})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "change nothing; list what would go")
	return cmd
}

func printPruned(p *command.Program, r api.PruneResult) error {
	for _, s := range r.Failed {
		p.Note("left as it is: %s: %s", s.Path, s.Reason)
	}
	err := p.Did(r, func(o *terminal.Page) { prunedLines(o, r) }, func(o *terminal.Page) {
		for _, v := range r.Items {
			o.Linef("%s\t%d\t%s\t%d", v.Ref, v.Version, v.At.Format("2006-01-02T15:04:05Z07:00"), v.Bytes)
		}
	})
	if err == nil && len(r.Failed) > 0 {
		return kb.Errorf(kb.Invalid, "the policy of %s cannot be read", terminal.Count(len(r.Failed), "space"))
	}
	return err
}

func prunedLines(o *terminal.Page, r api.PruneResult) {
	if r.DryRun && len(r.Items) > 0 {
		t := terminal.NewTable("WHEN", "PAGE", "VERSION", "SIZE", "BY")
		for _, v := range r.Items {
			t.Row(v.At, terminal.Name{Full: v.Ref}, v.Version, terminal.Size(v.Bytes), v.Actor)
		}
		t.Print(o)
		o.Linef("")
	}
	verb := "pruned"
	if r.DryRun {
		verb = "would be pruned"
	}
	for _, s := range r.Spaces {
		if s.Forever {
			o.Linef("%s: all %s kept, as its policy says", o.Style.Title(s.Space), terminal.Count(s.Versions, "version"))
		} else {
			o.Linef("%s: the texts of %d of %s %s", o.Style.Title(s.Space), s.Pruned, terminal.Count(s.Versions, "version"), verb)
		}
	}
	switch {
	case r.DryRun:
		o.Linef("%s would be free", terminal.Size(r.Freed))
	case r.Freed > 0:
		o.Linef("%s freed; the memory went from %s to %s", terminal.Size(r.Freed), terminal.Size(r.Before), terminal.Size(r.After))
	}
}
