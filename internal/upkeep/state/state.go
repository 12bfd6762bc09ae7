// Package state describes a whole memory: its spaces, counts and problems.
package state

import (
	"cmp"
	"context"
	"fmt"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/curate"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/upkeep/runs"
	"slices"
	"sync"
	"time"
)

// CountStats counts the contents of the current space, or of all spaces.
func CountStats(ctx context.Context, sess *memory.Session, everywhere bool) (api.Breakdown, error) {
	var more api.Breakdown
	out, err := counts(ctx, sess, everywhere, func(tx store.Tx, spaces []int64, known []kb.Space, mark int64) (err error) {
		if more.RawData, err = doctor.RawData(ctx, tx, spaces, sess.Kept, mark); err != nil {
			return err
		}
		counted := slices.DeleteFunc(known, func(s kb.Space) bool { return !everywhere && !slices.Contains(spaces, s.Row) })
		perSpace, ages, err := doctor.PagesBy(ctx, tx, counted, sess.Now(), sess.Kept, mark)
		more.PerSpace, more.Ages = api.Counts(perSpace), api.Counts(ages)
		return err
	})
	if err != nil {
		return api.Breakdown{}, err
	}
	out.RawData, out.PerSpace, out.Ages = more.RawData, more.PerSpace, more.Ages
	return out, nil
}

// counts computes the counts that need no scan of the pages; more adds the others,
// in the same transaction. It may be nil.
func counts(ctx context.Context, a *memory.Session, everywhere bool, more func(tx store.Tx, spaces []int64, known []kb.Space, mark int64) error) (api.Breakdown, error) {
	var (
		spaces []int64
		known  []kb.Space
		st     store.Stats
		gaps   int
		wrong  int
		models []store.Model
	)
	err := store.ViewAt(ctx, a.DB, func(tx store.Tx, mark int64) (err error) {
		if spaces, err = a.Spaces.ScopeTx(ctx, tx, everywhere); err != nil {
			return err
		}
		if known, err = tx.Spaces().All(ctx); err != nil {
			return err
		}
		if st, err = doctor.Stats(ctx, tx, spaces, a.Kept, mark); err != nil {
			return err
		}
		if st.Statuses, err = statuses(ctx, a, tx, spaces, known); err != nil {
			return err
		}
		if models, err = tx.Models().All(ctx); err != nil {
			return err
		}
		if gaps, err = tx.Gaps().Open(ctx, spaces); err != nil {
			return err
		}
		key := fmt.Sprint("contradictions ", a.Now().Format(time.DateOnly), spaces)
		wrong, err = store.Keep(a.Kept, mark, key, func() (int, error) { return contradiction.Count(ctx, a, tx, spaces) })
		if err != nil || more == nil {
			return err
		}
		return more(tx, spaces, slices.Clone(known), mark)
	})
	if err != nil {
		return api.Breakdown{}, err
	}
	info, err := a.DB.Info(ctx)
	out := api.Breakdown{Assertions: st.Assertions}
	out.Stats = api.Stats{
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

// statuses counts the pages of the spaces by status, most frequent first. Without
// spaces it counts all pages.
func statuses(ctx context.Context, a *memory.Session, tx store.Tx, spaces []int64, known []kb.Space) (out []store.Count, err error) {
	for _, s := range known {
		if len(spaces) > 0 && !slices.Contains(spaces, s.Row) {
			continue
		}
		counts, err := tx.Pages().Statuses(ctx, []int64{s.Row})
		if err != nil {
			return nil, err
		}
		pol, _, _ := a.Spaces.Policy(ctx, s, nil) // an unreadable policy has no words
		for _, c := range counts {
			if pol != nil {
				c.Value = pol.StatusWord(kb.Status(c.Value))
			}
			if i := slices.IndexFunc(out, func(o store.Count) bool { return o.Value == c.Value }); i >= 0 {
				out[i].N += c.N
			} else {
				out = append(out, c)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b store.Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Value, b.Value)) })
	return out, nil
}

// Describe describes the whole memory.
func Describe(ctx context.Context, sess *memory.Session) (api.State, error) {
	info, err := sess.DB.Info(ctx)
	out := api.State{Database: info.Path, Problems: []api.Check{}}
	if err != nil {
		return out, err
	}
	if out.Spaces, err = sess.Spaces.List(ctx); err != nil {
		return out, err
	}
	for i, s := range out.Spaces {
		out.Spaces[i].Watch = freshness.Watch(sess, s.ID)
		if s.SyncedAt != nil && (out.LastSync == nil || s.SyncedAt.After(*out.LastSync)) {
			out.LastSync = s.SyncedAt
		}
	}
	g, gctx := errgroup.WithContext(ctx) // git is slow
	git := sync.OnceValues(func() ([]api.GitState, error) { return gitsync.States(gctx, sess) })
	g.Go(func() (err error) {
		out.Git, err = git()
		return err
	})
	g.Go(func() error {
		problems, err := doctor.Problems(gctx, sess, git)
		out.Problems = append(out.Problems, problems...)
		return err
	})
	g.Go(func() (err error) {
		out.Curation, err = curate.DueEverywhere(gctx, sess)
		return err
	})
	g.Go(func() error {
		counted, err := counts(gctx, sess, true, nil)
		out.Stats = counted.Stats
		return err
	})
	if err := g.Wait(); err != nil {
		return out, err
	}
	at, err := runs.LatestRun(ctx, sess.DB)
	if err != nil {
		return out, err
	}
	if !at.IsZero() {
		out.Maintained = &at
	}
	if out.Serving, err = freshness.Served(ctx, sess); err != nil {
		return out, err
	}
	return out, nil
}
