package care

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/curate"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/terminal"
)

func newCurate(p *command.Program) *cobra.Command {
	var (
		page  command.Paging
		kinds []string
	)
	cmd := &cobra.Command{
		Use:   "curate",
		Short: "List pages that are worth a look, and merge, split or replace them",
		Long: `List the pages of the space that somebody should look at, and why. Pages not
curated for longest come first.

  duplicate  another page has the same title, or says nearly the same
  contested  it contradicts another page
  stale      it is stale, or another page took its place
  orphan     no link leads to it or from it
  broad      it is so long that it may be about more than one thing
  large      it, or a source, has more than 256 KB
  source     a source that no page names
  untouched  nobody changed it or looked at it for long

It changes nothing; merge, split, supersede and stamp do what you decide. The
table [curation] of the space's policy sets the limits, and the number of pages
from which cairn status and cairn prime remind of it (docs/curation.md).`,
		Example: `  cairn curate
  cairn curate --kind duplicate --kind orphan
  cairn curate --limit 5 --json`,
		Args: command.Need(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := page.Check(); err != nil {
				return err
			}
			req := curate.Request{Limit: page.Show, Offset: page.Skip}
			for _, k := range kinds {
				req.Kinds = append(req.Kinds, api.CurationKind(k))
			}
			return p.WithFresh(cmd.Context(), false, func(a *memory.Session) error {
				found, err := curate.List(cmd.Context(), a, req)
				if err != nil {
					return err
				}
				for _, n := range found.Notes {
					p.Note("note: %s", n)
				}
				return p.Record(found, func(out *terminal.Page) { showCuration(out, found) }, func(out *terminal.Page) {
					for _, item := range found.Items {
						for _, r := range item.Reasons {
							out.Linef("%s\t%s\t%s", curated(item), r.Kind, r.Text)
						}
					}
				})
			})
		},
	}
	cmd.Flags().StringSliceVar(&kinds, "kind", nil, "only pages listed for this `reason`; repeat for another")
	command.Complete(cmd, "kind", cobra.FixedCompletions(kindNames(), cobra.ShellCompDirectiveNoFileComp))
	page.AddFlags(cmd, 50)
	cmd.AddCommand(newCurateMerge(p), newCurateSplit(p), newCurateSupersede(p), newCurateStamp(p))
	return cmd
}

// curated names an item: by its ref, or by its path if it is not a page.
func curated(item api.CurationItem) string {
	if item.Ref == "" {
		return item.Path
	}
	return item.Ref
}

func kindNames() []string {
	var out []string
	for _, k := range api.CurationKinds() {
		out = append(out, string(k))
	}
	return out
}

func showCuration(out *terminal.Page, found api.Curation) {
	for _, item := range found.Items {
		last := "never looked at"
		if item.LastCurated != "" {
			last = "looked at on " + item.LastCurated
		}
		if item.Ref == "" {
			last = "source"
		}
		out.Linef("%s  %s", out.Style.Title(curated(item)), out.Style.Aside(last))
		for _, r := range item.Reasons {
			out.Linef("  %s: %s", r.Kind, r.Text)
		}
	}
	var counts []string
	for _, k := range api.CurationKinds() {
		if n := found.Kinds[k]; n > 0 {
			counts = append(counts, string(k)+" "+strconv.Itoa(n))
		}
	}
	if len(counts) == 0 {
		out.Linef("nothing is worth a look")
	} else {
		out.Linef("%s", strings.Join(counts, ", "))
	}
	command.More(out, found.List, "item")
}
