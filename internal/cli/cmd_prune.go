package cli

import (
	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
)

func newDBPrune(p *program) *cobra.Command {
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
		Args:    need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withApp(cmd.Context(), existing, func(a *app.App) error {
				r, err := a.Prune(cmd.Context(), dryRun)
				if err != nil {
					return err
				}
				return p.pruned(r)
			})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "change nothing; list what would go")
	return cmd
}

func (p *program) pruned(r app.PruneResult) error {
	for _, s := range r.Failed {
		p.note("left as it is: %s: %s", s.Path, s.Reason)
	}
	err := p.did(r, func(o *page) { prunedLines(o, r) }, func(o *page) {
		for _, v := range r.Items {
			o.linef("%s\t%d\t%s\t%d", v.Ref, v.Version, v.At.Format("2006-01-02T15:04:05Z07:00"), v.Bytes)
		}
	})
	if err == nil && len(r.Failed) > 0 {
		return kb.Errorf(kb.Invalid, "the policy of %s cannot be read", count(len(r.Failed), "space"))
	}
	return err
}

func prunedLines(o *page, r app.PruneResult) {
	if r.DryRun && len(r.Items) > 0 {
		t := newTable("WHEN", "PAGE", "VERSION", "SIZE", "BY")
		for _, v := range r.Items {
			t.row(moment(v.At), o.style.title(v.Ref), v.Version, size(v.Bytes), v.Actor)
		}
		t.print(o)
		o.linef("")
	}
	verb := "let go"
	if r.DryRun {
		verb = "would go"
	}
	for _, s := range r.Spaces {
		if s.Forever {
			o.linef("%s: all %s kept, as its policy says", o.style.title(s.Space), count(s.Versions, "version"))
		} else {
			o.linef("%s: the texts of %d of %s %s", o.style.title(s.Space), s.Pruned, count(s.Versions, "version"), verb)
		}
	}
	switch {
	case r.DryRun:
		o.linef("%s would be free", size(r.Freed))
	case r.Freed > 0:
		o.linef("%s freed; the memory went from %s to %s", size(r.Freed), size(r.Before), size(r.After))
	}
}
