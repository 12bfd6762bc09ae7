package ingest

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxMentioned is how many lines of a source are listed for each page.
const maxMentioned = 10

// mentions lists the pages of the space that the source mentions.
func (r *run) mentions(ctx context.Context) error {
	if r.home == nil || r.home.Row == 0 {
		return nil
	}
	return r.Session.DB.View(ctx, func(tx store.Tx) error {
		pages, _, err := tx.Pages().List(ctx, store.Filter{Spaces: []int64{r.home.Row}}, store.BySlug, 1<<30, 0)
		if err != nil {
			return err
		}
		names := make([][]string, len(pages))
		for i, p := range pages {
			names[i] = append([]string{p.Title}, p.Aliases...)
		}
		found := link.Mentioned(string(r.req.Source.Text), names)
		for i, p := range pages {
			lines := found[i]
			if len(lines) == 0 || p.Path == r.path {
				continue
			}
			r.out.Known = append(r.out.Known, Mentioned{
				Ref: p.Ref(), Title: p.Title, Type: p.Type, Version: p.Version, Summary: p.Summary,
				Lines: slices.Clip(lines[:min(len(lines), maxMentioned)]),
			})
		}
		return nil
	})
}
