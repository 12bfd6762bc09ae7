package app

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/health"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/link"
	"github.com/cairn-kb/cairn/internal/store"
)

// Links lists what a page links to.
func (a *App) Links(ctx context.Context, raw string) (List[Link], error) {
	return linksOf(ctx, a, raw, store.Links.From)
}

// Backlinks lists what links to a page.
func (a *App) Backlinks(ctx context.Context, raw string) (List[Link], error) {
	return linksOf(ctx, a, raw, store.Links.To)
}

func linksOf(ctx context.Context, a *App, raw string, ends func(store.Links, context.Context, int64) ([]store.LinkEnd, error)) (List[Link], error) {
	p, err := a.fresh.Page(ctx, raw)
	if err != nil {
		return List[Link]{}, err
	}
	var out List[Link]
	err = a.db.View(ctx, func(tx store.Tx) error {
		found, err := ends(tx.Links(), ctx, p.Row)
		if err != nil {
			return err
		}
		out, err = linkList(ctx, tx, found)
		return err
	})
	out.Total = len(out.Items)
	return out, err
}

// Unresolved lists the links of the current space that lead nowhere, or to
// several pages.
func (a *App) Unresolved(ctx context.Context, limit, offset int) (List[Link], error) {
	var out List[Link]
	err := a.db.View(ctx, func(tx store.Tx) error {
		spaces, err := a.spaces.ScopeTx(ctx, tx, false)
		if err != nil {
			return err
		}
		found, total, err := tx.Links().Unresolved(ctx, spaces, api.Limit(limit), offset)
		if err != nil {
			return err
		}
		if out, err = linkList(ctx, tx, found); err != nil {
			return err
		}
		out.Total, out.Next = total, api.Next(offset, len(found), total)
		return nil
	})
	return out, err
}

func linkList(ctx context.Context, tx store.Tx, found []store.LinkEnd) (List[Link], error) {
	v, err := api.NewViewer(ctx, tx)
	if err != nil {
		return List[Link]{}, err
	}
	holders, err := holders(ctx, tx, found)
	if err != nil {
		return List[Link]{}, err
	}
	out := List[Link]{Items: make([]Link, 0, len(found))}
	for _, f := range found {
		l := Link{
			From: holders[f.From], Type: f.Type, Kind: f.Kind, Target: f.Name, Text: f.Text,
			ValidFrom: f.ValidFrom, ValidUntil: f.ValidUntil, Context: f.Context, Line: f.Line, State: "resolved",
		}
		l.Heading, l.Block = f.Anchor()
		switch {
		case f.Link.To == 0 && f.Candidates > 1:
			l.State = "ambiguous"
			if l.Candidates, err = candidateRefs(ctx, tx, f); err != nil {
				return out, err
			}
		case f.Link.To == 0:
			l.State = "unresolved"
		}
		if f.Page.Row != 0 {
			p, err := v.Page(ctx, f.Page)
			if err != nil {
				return out, err
			}
			l.Page = &p
		}
		out.Items = append(out.Items, l)
	}
	return out, nil
}

// holders returns the refs of the pages that hold links, by row.
func holders(ctx context.Context, tx store.Tx, found []store.LinkEnd) (map[int64]string, error) {
	rows := make([]int64, len(found))
	for i, f := range found {
		rows[i] = f.From
	}
	slices.Sort(rows)
	pages, err := tx.Pages().Get(ctx, slices.Compact(rows))
	refs := make(map[int64]string, len(pages))
	for _, p := range pages {
		refs[p.Row] = p.Ref()
	}
	return refs, err
}

// candidateRefs lists the pages that carry an ambiguous link's key: of its own
// space, else of the one that it names.
func candidateRefs(ctx context.Context, tx store.Tx, f store.LinkEnd) ([]string, error) {
	from, err := tx.Pages().Get(ctx, []int64{f.From})
	if err != nil || len(from) == 0 {
		return nil, err
	}
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	found, err := tx.Pages().ByNames(ctx, 0, []string{f.Key})
	in := from[0].SpaceID
	own := func(p kb.Page) bool { return p.SpaceID == in }
	if name, _, ok := link.Abroad(link.Ref{Kind: f.Kind, Name: f.Name}); ok && !slices.ContainsFunc(found[f.Key], own) {
		s, _ := link.Space(spaces, name)
		in = s.ID
	}
	var refs []string
	for _, p := range found[f.Key] {
		if own(p) {
			refs = append(refs, p.Ref())
		}
	}
	return refs, err
}

// Tags counts the tags of the current space or, everywhere, of all spaces; with a
// ref it lists those of a page.
func (a *App) Tags(ctx context.Context, raw string, everywhere bool) (List[Count], error) {
	out := List[Count]{Items: []Count{}}
	if raw != "" {
		p, err := a.fresh.Page(ctx, raw)
		for _, t := range p.Tags {
			out.Items = append(out.Items, Count{Value: t, Count: 1})
		}
		out.Total = len(out.Items)
		return out, err
	}
	err := a.db.View(ctx, func(tx store.Tx) error {
		spaces, err := a.spaces.ScopeTx(ctx, tx, everywhere)
		if err != nil {
			return err
		}
		tags, err := tx.Pages().Tags(ctx, store.Filter{Spaces: spaces})
		out.Items = counts(tags)
		return err
	})
	out.Total = len(out.Items)
	return out, err
}

func counts(in []store.Count) []Count {
	out := make([]Count, len(in))
	for i, c := range in {
		out[i] = Count{Value: c.Value, Count: c.N}
	}
	return out
}

// Timeline lists the timeline entries of a page in its order or, without a ref,
// those of all pages, the newest first.
func (a *App) Timeline(ctx context.Context, req TimelineRequest) (List[Entry], error) {
	if req.Ref == "" {
		return a.retrieve.Timeline(ctx, req)
	}
	p, err := a.fresh.Page(ctx, req.Ref)
	if err != nil {
		return List[Entry]{Items: []Entry{}}, err
	}
	return a.retrieve.TimelineOf(ctx, p, req)
}

// Stats counts what the current space holds, or all of them.
func (a *App) Stats(ctx context.Context, everywhere bool) (Stats, error) {
	var (
		spaces []int64
		known  []kb.Space
		st     store.Stats
		gaps   int
	)
	mark, err := a.db.Changed(ctx)
	if err != nil {
		return Stats{}, err
	}
	err = a.db.View(ctx, func(tx store.Tx) (err error) {
		if spaces, err = a.spaces.ScopeTx(ctx, tx, everywhere); err != nil {
			return err
		}
		if known, err = tx.Spaces().All(ctx); err != nil {
			return err
		}
		if st, err = health.Stats(ctx, tx, spaces, &a.kept, mark); err != nil {
			return err
		}
		gaps, err = tx.Gaps().Open(ctx, spaces)
		return err
	})
	if err != nil {
		return Stats{}, err
	}
	info, err := a.db.Info(ctx)
	out := Stats{
		Spaces: len(spaces), Documents: st.Documents, Pages: st.Pages, Links: st.Links, Unresolved: st.Unresolved,
		Ambiguous: st.Ambiguous, Observations: st.Observations, Entries: st.Entries, Tags: st.Tags, Gaps: gaps,
		Bytes: st.Bytes, Database: info.Bytes, Types: counts(st.Types), Statuses: counts(st.Statuses),
	}
	if everywhere {
		out.Spaces = len(known)
	}
	return out, err
}

// State describes the whole memory.
func (a *App) State(ctx context.Context) (State, error) {
	info, err := a.db.Info(ctx)
	out := State{Database: info.Path, Problems: []Check{}}
	if err != nil {
		return out, err
	}
	if out.Spaces, err = a.spaces.List(ctx); err != nil {
		return out, err
	}
	for i, s := range out.Spaces {
		out.Spaces[i].Watch = a.fresh.Watch(s.ID)
		if s.SyncedAt != nil && (out.LastSync == nil || s.SyncedAt.After(*out.LastSync)) {
			out.LastSync = s.SyncedAt
		}
	}
	if out.Stats, err = a.Stats(ctx, true); err != nil {
		return out, err
	}
	at, err := a.jobs.LastRun(ctx)
	if err != nil {
		return out, err
	}
	if !at.IsZero() {
		out.Maintained = &at
	}
	problems, err := a.health.Problems(ctx)
	out.Problems = append(out.Problems, problems...)
	return out, err
}
