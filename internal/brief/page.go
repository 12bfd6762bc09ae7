package brief

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	graph "github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// ShowPage shows the state of a page, with its links on request, and with warnings
// about its resolution.
func ShowPage(ctx context.Context, sess *memory.Session, p kb.Page, links bool, warnings []api.Warning) (out api.BriefPage, err error) {
	out.Warnings = warnings
	if links {
		if out.Links, err = findLinks(ctx, sess, p); err != nil {
			return out, err
		}
	}
	defer func() {
		if err == nil {
			sess.WasRead(ctx, out.Page)
		}
	}()
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		v, err := api.NewViewer(ctx, tx)
		if err != nil {
			return err
		}
		if out.Page, err = v.Page(ctx, p); err != nil {
			return err
		}
		source, err := tx.History().Bytes(ctx, p.Hash)
		if err != nil {
			return err
		}
		out.Text = retrieve.Truth(sess.Codecs, p, source)
		if err := standing(ctx, tx, p, &out); err != nil {
			return err
		}
		if out.Conflicts, err = disputes(ctx, sess, tx, v, p); err != nil {
			return err
		}
		out.Contested = len(out.Conflicts) > 0
		return members(ctx, tx, v, p, &out)
	})
	return out, err
}

func findLinks(ctx context.Context, sess *memory.Session, p kb.Page) (*api.PageLinks, error) {
	all := graph.Request{Times: graph.Times{Temporal: api.AllTimes}}
	from, err := graph.From(ctx, sess, p, all)
	if err != nil {
		return nil, err
	}
	to, err := graph.To(ctx, sess, p, all)
	return &api.PageLinks{Out: from.Items, In: to.Items}, err
}

// standing reads the lifecycle metadata of a page.
func standing(ctx context.Context, tx store.Tx, p kb.Page, out *api.BriefPage) error {
	properties, err := tx.Pages().Properties(ctx, p.Row)
	if err != nil {
		return err
	}
	for key, value := range map[string]*string{
		"stale_since": &out.StaleSince, "stale_reason": &out.StaleReason, "reviewed": &out.Reviewed, "source": &out.Source, "session": &out.Session,
	} {
		if i := slices.IndexFunc(properties, func(x kb.Property) bool { return x.Key == doc.PropertyKey(key) }); i >= 0 {
			*value = properties[i].Text
		}
	}
	return nil
}

// disputes returns the pages that a page conflicts with, according to the policy.
func disputes(ctx context.Context, sess *memory.Session, tx store.Tx, v *api.Viewer, p kb.Page) ([]api.Dispute, error) {
	out := []api.Dispute{}
	all, err := tx.Spaces().All(ctx)
	if err != nil {
		return out, err
	}
	i := slices.IndexFunc(all, func(s kb.Space) bool { return s.ID == p.SpaceID })
	if i < 0 {
		return out, nil
	}
	pol, _, err := sess.Spaces.Policy(ctx, all[i], nil)
	if err != nil {
		pol = &policy.Policy{} // doctor reports an unreadable policy
	}
	found, err := contradiction.Conflicts(ctx, sess, tx, all[i], pol, []int64{p.Row})
	if err != nil {
		return out, err
	}
	others := make([]kb.Page, len(found))
	for i, x := range found {
		if others[i] = x.A; x.A.Row == p.Row {
			others[i] = x.B
		}
	}
	near, err := neighbours(ctx, v, others)
	for i, n := range near {
		out = append(out, api.Dispute{Neighbour: n, Description: found[i].Why})
	}
	return out, err
}

// members finds the pages that a page summarises, and the page that summarises it.
func members(ctx context.Context, tx store.Tx, v *api.Viewer, p kb.Page, out *api.BriefPage) error {
	links, err := tx.Claims().Typed(ctx, store.Claimants{Space: 0, Pages: []int64{p.Row}}, map[string]bool{kb.NameKey("compacted_into"): true})
	if err != nil {
		return err
	}
	var rows []int64
	into := int64(0)
	for _, l := range links {
		switch {
		case l.From == p.Row && l.To != p.Row && into == 0:
			into = l.To
		case l.To == p.Row && l.From != p.Row && !slices.Contains(rows, l.From):
			rows = append(rows, l.From)
		}
	}
	pages, err := tx.Pages().Get(ctx, rows)
	if err != nil {
		return err
	}
	if out.Members, err = neighbours(ctx, v, pages); err != nil || into == 0 {
		return err
	}
	if pages, err = tx.Pages().Get(ctx, []int64{into}); err != nil {
		return err
	}
	near, err := neighbours(ctx, v, pages)
	if len(near) > 0 {
		out.CompactedInto = &near[0]
	}
	return err
}

func neighbours(ctx context.Context, v *api.Viewer, pages []kb.Page) (out []api.Neighbour, err error) {
	shown, err := v.Pages(ctx, pages)
	for _, p := range shown {
		out = append(out, api.Neighbour{ID: p.Short, Ref: p.Ref, Title: p.Title, Status: p.Status})
	}
	return out, err
}
