package retrieve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
)

// rebuilding makes of a temporary memory the one of then.
type rebuilding struct {
	a           *memory.Session
	p           *past
	report      func(space, phase string, done, total int)
	done, total int
}

// snapshotBytes bounds the memories that are copied to become one of then. Of a larger one
// the texts are indexed again, which takes longer and half of the process's memory.
const snapshotBytes = 512 << 20

// begin returns what a memory of then is made of: a copy of the one of now where its rows
// are those that the texts give today, or an empty one.
func begin(ctx context.Context, now store.Engine, spaces []kb.Space, clock func() time.Time) (store.Engine, error) {
	o := store.Options{Clock: clock}
	from, ok := now.(store.Snapshotter)
	if ok && !slices.ContainsFunc(spaces, func(s kb.Space) bool { return s.Derivation != index.Derivation }) {
		info, err := now.Info(ctx)
		if err != nil {
			return nil, err
		}
		if info.Bytes <= snapshotBytes {
			return from.Snapshot(ctx, o)
		}
	}
	return open.Temporary(ctx, o)
}

// run brings in the newest versions after the change with this Seq, and takes out all that
// came later.
// State has the versions of then, or is nil.
func (r *rebuilding) run(ctx context.Context, spaces []kb.Space, seq int64, state []kb.Version) error {
	var later []kb.Version
	if err := r.a.DB.View(ctx, func(tx store.Tx) (err error) {
		if state == nil {
			if state, err = tx.History().State(ctx, seq); err != nil {
				return err
			}
		}
		later, _, err = tx.History().Versions(ctx, store.VersionFilter{After: seq}, math.MaxInt32, 0)
		return err
	}); err != nil {
		return err
	}
	there := map[kb.ID]kb.Space{} // the spaces in the temporary memory
	if err := r.p.made.temp.View(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		for _, s := range all {
			there[s.ID] = s
		}
		return err
	}); err != nil {
		return err
	}
	for _, s := range spaces {
		then, copied := there[s.ID]
		if s.Created.After(r.p.Session.Now()) { // it was not there yet
			if copied {
				if err := r.p.made.temp.Update(ctx, func(tx store.Tx) error {
					return r.p.Session.Index.RemoveSpace(ctx, tx, then)
				}); err != nil {
					return err
				}
			}
			continue
		}
		if !copied {
			then = s
			if err := r.p.made.temp.Update(ctx, func(tx store.Tx) error { return tx.Spaces().Add(ctx, &then) }); err != nil {
				return err
			}
		}
		if err := r.space(ctx, s, then, of(s, state), of(s, later)); err != nil {
			return err
		}
	}
	return nil
}

// of returns the versions of a space.
func of(s kb.Space, versions []kb.Version) (own []kb.Version) {
	for _, v := range versions {
		if v.Space == s.Row {
			own = append(own, v)
		}
	}
	return own
}

// older is a version of then with the row of the document that it replaces, 0 without one.
type older struct {
	kb.Version
	row int64
}

// differing takes the documents that were not there then out of the temporary memory, and
// returns the versions of then that it does not hold.
func (r *rebuilding) differing(ctx context.Context, then kb.Space, state, later []kb.Version) ([]older, error) {
	type place struct {
		path string
		page kb.ID
	}
	changed := map[kb.ID]bool{} // since then
	for _, v := range later {
		changed[v.Page] = true
	}
	var out []older
	err := r.p.made.temp.Update(ctx, func(tx store.Tx) error {
		docs, err := tx.Documents().States(ctx, then.Row)
		if err != nil {
			return err
		}
		held := make(map[place]store.FileState, len(docs))
		for _, d := range docs {
			held[place{d.Path, d.ID}] = d
		}
		for _, v := range state {
			at := place{v.Path, v.Page}
			d, ok := held[at]
			delete(held, at)
			if ok && !changed[v.Page] && v.Hash == d.Hash && v.Side.Hash == d.Side.Hash && (v.ModTime.IsZero() || v.ModTime.Equal(d.ModTime)) {
				continue
			}
			out = append(out, older{v, d.Row})
		}
		var gone []int64
		for _, d := range held {
			gone = append(gone, d.Row)
		}
		slices.Sort(gone)
		return r.p.Session.Index.Remove(ctx, tx, then, gone)
	})
	return out, err
}

// A batch is indexed when it holds this many documents or bytes, as in a sync.
const (
	pastDocuments = 1000
	pastBytes     = 8 << 20
)

// space indexes the documents of a space, in the order in which they were
// indexed first: pages of equal score come in that order.
func (r *rebuilding) space(ctx context.Context, now, then kb.Space, versions, later []kb.Version) error {
	state, err := r.differing(ctx, then, versions, later)
	if err != nil {
		return err
	}
	r.total += len(state)
	dates, err := r.dates(ctx, now, state)
	if err != nil {
		return err
	}
	for len(state) > 0 {
		// As many batches at a time as there are workers.
		var batches [][]older
		for len(state) > 0 && len(batches) < max(1, r.a.Workers) {
			n, bytes := 0, int64(0)
			for n < len(state) && n < pastDocuments && bytes < pastBytes {
				bytes += state[n].Size
				n++
			}
			batches, state = append(batches, state[:n]), state[n:]
		}
		derived := make([]derivedBatch, len(batches))
		g, together := errgroup.WithContext(ctx)
		for i, b := range batches {
			g.Go(func() (err error) {
				derived[i], err = r.derive(together, then, b, dates)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for i, d := range derived {
			if d.lost > 0 {
				r.p.lost[now.Name] += d.lost
			}
			if err := r.p.made.temp.Update(ctx, func(tx store.Tx) error {
				return r.p.Session.Index.Put(ctx, tx, then, d.documents, d.texts)
			}); err != nil {
				return err
			}
			r.done += len(batches[i])
			r.report("", "indexing as of "+r.p.at.Format(time.DateOnly), r.done, r.total)
		}
	}
	return nil
}

// dates returns the modification times of documents with a newest version
// that was recorded without one, by Seq.
func (r *rebuilding) dates(ctx context.Context, s kb.Space, state []older) (map[int64]time.Time, error) {
	out := map[int64]time.Time{}
	if !slices.ContainsFunc(state, func(v older) bool { return v.ModTime.IsZero() }) {
		return out, nil
	}
	err := r.a.DB.View(ctx, func(tx store.Tx) error {
		docs, err := tx.Documents().States(ctx, s.Row)
		if err != nil {
			return err
		}
		byPath := make(map[string]store.FileState, len(docs))
		for _, d := range docs {
			byPath[d.Path] = d
		}
		for _, v := range state {
			if d := byPath[v.Path]; v.ModTime.IsZero() && d.Hash == v.Hash && d.ID == v.Page {
				out[v.Seq] = d.ModTime
			}
		}
		return nil
	})
	return out, err
}

type derivedBatch struct {
	documents []*index.Derived
	texts     *index.Texts
	lost      int
}

func (r *rebuilding) derive(ctx context.Context, space kb.Space, versions []older, dates map[int64]time.Time) (derivedBatch, error) {
	bytes := int64(0)
	for _, v := range versions {
		bytes += v.Size
	}
	out := derivedBatch{texts: index.NewTexts(bytes)}
	err := r.a.DB.View(ctx, func(tx store.Tx) error {
		for _, v := range versions {
			if err := ctx.Err(); err != nil {
				return err
			}
			text, err := tx.History().Bytes(ctx, v.Hash)
			if kb.CodeOf(err) == kb.NotFound {
				out.lost++
				continue
			}
			if err != nil {
				return err
			}
			side, err := index.StoredSide(ctx, tx, v.Side)
			if kb.CodeOf(err) == kb.NotFound {
				out.lost++
				continue
			}
			if err != nil {
				return err
			}
			mod := v.ModTime
			if mod.IsZero() {
				mod = dates[v.Seq]
			}
			if mod.IsZero() {
				mod = v.Time
			}
			d := index.Derive(doc.ForNote(r.a.Codecs, space.Syntax, v.Path), index.Source{
				Space: space, Path: v.Path, Bytes: text, ModTime: mod, Side: side, Now: v.Time,
			}, secrets.Hide)
			d.Record.Row, d.Record.ID, d.Record.Version, d.Record.Recorded = v.row, v.Page, v.Version.Version, v.Time
			out.texts.Add(d)
			out.documents = append(out.documents, d)
		}
		return nil
	})
	out.texts.Invert()
	return out, err
}

// embed gives the pages of then their vectors: those that still exist, and the
// rest computed again. A model that cannot be had is said by the search.
func (r *rebuilding) embed(ctx context.Context) error {
	m, err := embedding.ActiveModel(ctx, r.a)
	if err != nil {
		return ctx.Err()
	}
	if r.p.made.embedded == m.Model() {
		return nil
	}
	copied, err := r.activate(ctx, m.Model())
	if err == nil && !copied {
		err = r.copyVectors(ctx, m)
	}
	if err != nil {
		return err
	}
	memory.Keep[embedding.State](r.p.Session).Adopt(m) // opened already, and the active one there now
	if _, err := embedding.Embed(ctx, r.p.Session, embedding.Request{All: true, Progress: func(phase string, done, total int) {
		r.report("", phase+" as of "+r.p.at.Format(time.DateOnly), done, total)
	}}); err != nil {
		return fmt.Errorf("embed the state of then: %w", err)
	}
	r.p.made.embedded = m.Model()
	return nil
}

// activate makes a model the active one, and reports whether the memory of then began as a
// copy with its vectors: one that was registered since, as by this question, is not there.
func (r *rebuilding) activate(ctx context.Context, model string) (copied bool, err error) {
	err = r.p.made.temp.Update(ctx, func(tx store.Tx) error {
		models, err := tx.Models().All(ctx)
		if err != nil {
			return err
		}
		if copied = slices.ContainsFunc(models, func(m store.Model) bool { return m.Name == model }); !copied {
			return nil
		}
		return tx.Models().Activate(ctx, model)
	})
	return copied, err
}

// copyVectors copies the vectors of pages that existed then; of a page that
// changed since the passages that did not are used again.
func (r *rebuilding) copyVectors(ctx context.Context, m embed.Embedder) error {
	return r.a.DB.View(ctx, func(now store.Tx) error {
		return r.p.made.temp.Update(ctx, func(tx store.Tx) error {
			models, err := now.Models().All(ctx)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(models, func(x store.Model) bool { return x.Name == m.Model() })
			if i < 0 {
				return kb.Errorf(kb.Internal, "the active model %s is not registered", m.Model())
			}
			if err := errors.Join(tx.Models().Put(ctx, models[i]), tx.Models().Activate(ctx, m.Model())); err != nil {
				return err
			}
			rows, err := tx.Pages().Rows(ctx, store.Filter{})
			if err != nil {
				return err
			}
			for chunk := range slices.Chunk(rows, embedding.PortionPages) {
				if err := copyVectorsOf(ctx, now, tx, m.Model(), chunk); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func copyVectorsOf(ctx context.Context, now, then store.Tx, model string, rows []int64) error {
	pages, err := then.Pages().Get(ctx, rows)
	if err != nil {
		return err
	}
	var list []store.PageVectors
	for _, p := range pages {
		same, err := now.Pages().ByID(ctx, p.ID)
		if err != nil {
			return err
		}
		for _, q := range same {
			if q.SpaceID != p.SpaceID {
				continue
			}
			v, err := now.Vectors().Get(ctx, model, q.Row)
			if kb.CodeOf(err) == kb.NotFound {
				continue
			}
			if err != nil {
				return err
			}
			v.Page = p.Row
			list = append(list, v)
		}
	}
	return then.Vectors().Put(ctx, list)
}
