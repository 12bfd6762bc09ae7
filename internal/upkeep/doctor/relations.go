package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkAllRelations is checkRelations for each space.
func checkAllRelations(ctx context.Context, l *Look) (checks []api.Check, err error) {
	err = l.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		for _, s := range l.limit(all) {
			c, err := checkRelations(ctx, l.Session, tx, s)
			if err != nil {
				return err
			}
			checks = append(checks, c)
		}
		return nil
	})
	return checks, err
}

// checkRelations checks that relations with the same type, source and target do not
// overlap in time, and that none ends before it begins. Only other programs write
// such relations.
func checkRelations(ctx context.Context, _ *memory.Session, tx store.Tx, s kb.Space) (api.Check, error) {
	c := api.Check{Name: "relations " + s.Name, State: "ok", Reason: "none holds twice at a time or ends before it begins"}
	links, err := tx.Links().Dated(ctx, s.Row)
	if err != nil {
		return c, err
	}
	links = slices.DeleteFunc(links, func(l kb.Link) bool { return l.Interval() == (kb.Interval{}) && l.Kind != link.RelationKind })
	type finding struct {
		page int64
		line int
		text string
	}
	var found []finding
	for len(links) > 0 {
		n := 1
		for n < len(links) && links[n].From == links[0].From {
			n++
		}
		own := links[:n]
		links = links[n:]
		for _, l := range lifecycle.Reversed(own) {
			found = append(found, finding{l.From, l.Line, fmt.Sprintf("%s @%s ends before it begins", l.Type, l.Interval())})
		}
		for _, o := range lifecycle.Overlaps(own, false) {
			found = append(found, finding{o.Second.From, o.Second.Line, fmt.Sprintf("%s overlaps the one in line %d", dated(o.Second), o.First.Line)})
		}
	}
	if len(found) == 0 {
		return c, nil
	}
	shown := found[:min(len(found), maxItems)]
	pages := make([]int64, len(shown))
	for i, f := range shown {
		pages[i] = f.page
	}
	slices.Sort(pages)
	there, err := tx.Pages().Get(ctx, slices.Compact(pages))
	paths := make(map[int64]string, len(there))
	for _, p := range there {
		paths[p.Row] = p.Path
	}
	c.State, c.Reason = "warning", api.Plural(len(found), "relation")+" with impossible dates"
	c.Remedy = "correct the dates in an editor"
	for _, f := range shown {
		c.Items = append(c.Items, fmt.Sprintf("%s:%d: %s", paths[f.page], f.line, f.text))
	}
	return c, err
}

// dated is a relation without its target.
func dated(l kb.Link) string {
	if l.Interval() == (kb.Interval{}) {
		return l.Type
	}
	return fmt.Sprintf("%s @%s", l.Type, l.Interval())
}
