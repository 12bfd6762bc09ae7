package app

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
)

// TagsRequest asks for tags.
type TagsRequest struct {
	Ref    string // of this page; "" for all pages that Within lets through
	Within        // the pages
}

// Tags counts the tags of pages, or lists those of one.
func (a *App) Tags(ctx context.Context, req TagsRequest) (List[Count], error) {
	if req.Ref == "" {
		return a.retrieve.Tags(ctx, req.Within)
	}
	out := List[Count]{Items: []Count{}}
	if req.Narrows() || req.All {
		return out, retrieve.OnePage()
	}
	p, err := a.fresh.Page(ctx, req.Ref)
	for _, t := range p.Tags {
		out.Items = append(out.Items, Count{Value: t, Count: 1})
	}
	out.Total = len(out.Items)
	return out, err
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
func (a *App) Stats(ctx context.Context, everywhere bool) (Breakdown, error) {
	var more Breakdown
	out, err := counts(ctx, a, everywhere, func(tx store.Tx, spaces []int64, known []kb.Space, mark int64) (err error) {
		if more.RawData, err = doctor.RawData(ctx, tx, spaces, &a.kept, mark); err != nil {
			return err
		}
		counted := slices.DeleteFunc(known, func(s kb.Space) bool { return !everywhere && !slices.Contains(spaces, s.Row) })
		perSpace, ages, err := doctor.PagesBy(ctx, tx, counted, a.opts.Now(), &a.kept, mark)
		more.PerSpace, more.Ages = api.Counts(perSpace), api.Counts(ages)
		return err
	})
	if err != nil {
		return Breakdown{}, err
	}
	out.RawData, out.PerSpace, out.Ages = more.RawData, more.PerSpace, more.Ages
	return out, nil
}

// counts counts what Stats tells without going through the pages; more counts the rest of
// it, in the same transaction. It may be nil.
func counts(ctx context.Context, a *App, everywhere bool, more func(tx store.Tx, spaces []int64, known []kb.Space, mark int64) error) (Breakdown, error) {
	var (
		spaces []int64
		known  []kb.Space
		st     store.Stats
		gaps   int
		wrong  int
		models []store.Model
	)
	mark, err := a.db.Changed(ctx)
	if err != nil {
		return Breakdown{}, err
	}
	err = a.db.View(ctx, func(tx store.Tx) (err error) {
		if spaces, err = a.spaces.ScopeTx(ctx, tx, everywhere); err != nil {
			return err
		}
		if known, err = tx.Spaces().All(ctx); err != nil {
			return err
		}
		if st, err = doctor.Stats(ctx, tx, spaces, &a.kept, mark); err != nil {
			return err
		}
		if models, err = tx.Models().All(ctx); err != nil {
			return err
		}
		if gaps, err = tx.Gaps().Open(ctx, spaces); err != nil {
			return err
		}
		key := fmt.Sprint("contradictions ", a.opts.Now().Format(time.DateOnly), spaces)
		wrong, err = store.Keep(&a.kept, mark, key, func() (int, error) { return a.check.Count(ctx, tx, spaces) })
		if err != nil || more == nil {
			return err
		}
		return more(tx, spaces, slices.Clone(known), mark)
	})
	if err != nil {
		return Breakdown{}, err
	}
	info, err := a.db.Info(ctx)
	out := Breakdown{Assertions: st.Assertions}
	out.Stats = Stats{
		Spaces: len(spaces), Documents: st.Documents, Pages: st.Pages, Links: st.Links, Unresolved: st.Unresolved,
		Ambiguous: st.Ambiguous, Observations: st.Observations, Entries: st.Entries, Tags: st.Tags, Gaps: gaps, Disputes: wrong,
		Bytes: st.Bytes, Database: info.Bytes, Types: api.Counts(st.Types), Statuses: api.Counts(st.Statuses),
	}
	if everywhere {
		out.Spaces = len(known)
	}
	if m, ok := embedding.Chosen(models); ok {
		out.Model = m.Name
		for _, c := range st.Chunks {
			if c.Value == m.Name {
				out.Chunks = c.N
			}
		}
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
	g, gctx := errgroup.WithContext(ctx) // git takes its time
	git := sync.OnceValues(func() ([]GitState, error) { return a.guard.States(gctx) })
	g.Go(func() (err error) {
		out.Git, err = git()
		return err
	})
	g.Go(func() error {
		problems, err := a.health.Problems(gctx, git)
		out.Problems = append(out.Problems, problems...)
		return err
	})
	g.Go(func() (err error) {
		out.Curation, err = a.curate.DueEverywhere(gctx)
		return err
	})
	g.Go(func() error {
		counted, err := counts(gctx, a, true, nil)
		out.Stats = counted.Stats
		return err
	})
	if err := g.Wait(); err != nil {
		return out, err
	}
	at, err := a.jobs.LastRun(ctx)
	if err != nil {
		return out, err
	}
	if !at.IsZero() {
		out.Maintained = &at
	}
	if out.Serving, err = a.fresh.Served(ctx); err != nil {
		return out, err
	}
	return out, nil
}
