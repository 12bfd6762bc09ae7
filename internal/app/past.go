package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/embed"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/sqlite"
)

// A search as of a time is a search of the memory of that time: all documents
// that were there are indexed into a temporary memory, by the code that indexes
// them otherwise, and searched by the code that searches otherwise. Indexing
// only what the search is about would be faster, and wrong: scores depend on
// how often a word occurs in all of the memory.

// past is a memory as it was.
type past struct {
	*App
	at   time.Time
	temp *sqlite.DB     // nil when nothing has changed since
	lost map[string]int // documents whose text is not kept any more, by space
}

func (p *past) close() error {
	if p.temp == nil {
		return nil
	}
	return p.temp.Close()
}

// pastDB has the index of then and the history of now, where all texts are.
type pastDB struct {
	*sqlite.DB
	now store.Memory
}

func (p pastDB) View(ctx context.Context, f func(store.Tx) error) error {
	return p.now.View(ctx, func(now store.Tx) error {
		return p.DB.View(ctx, func(tx store.Tx) error { return f(pastTx{tx, now}) })
	})
}

type pastTx struct {
	store.Tx
	now store.Tx
}

func (t pastTx) History() store.History { return t.now.History() }

// searchPast is Search for a request as of a time.
func (a *App) searchPast(ctx context.Context, req SearchRequest) (out SearchResult, err error) {
	p, err := a.openPast(ctx, req)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	req.AsOf, req.Sync = "", false
	if out, err = p.Search(ctx, req); err != nil {
		return out, err
	}
	return out, p.finish(&out)
}

// queryPast is Query for a request as of a time.
func (a *App) queryPast(ctx context.Context, req QueryRequest) (out QueryResult, err error) {
	p, err := a.openPast(ctx, req.SearchRequest)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	req.AsOf, req.Sync, req.Embed = "", false, 0
	if out, err = p.Query(ctx, req); err != nil {
		return out, err
	}
	return out, p.finish(&out.SearchResult)
}

// finish says of an answer when it is from, and refuses one about documents
// that are not kept any more.
func (p *past) finish(out *SearchResult) error {
	out.AsOf = &p.at
	for space, n := range p.lost {
		if slices.Contains(out.Spaces, space) {
			return kb.Errorf(kb.NotFound, "what %s held at %s is not known any more: of %d documents the text of then is not kept", space, p.at.Format(time.RFC3339), n).
				WithHint("The space's retention lets old versions go. Ask for the end of a day, week or month that it keeps, or for a later time.").
				With("documents", n).With("space", space)
		}
	}
	if len(p.lost) > 0 {
		out.Notes = append(out.Notes, "other spaces are not known any more as they were then; scores may differ from those of then")
	}
	return nil
}

// openPast returns the memory as it was at the time of the request, searched
// as by the same caller at that time.
func (a *App) openPast(ctx context.Context, req SearchRequest) (_ *past, err error) {
	at, err := a.instant(req.AsOf)
	if err != nil {
		return nil, err
	}
	if now := a.opts.Now(); at.After(now) {
		at = now
	}
	space, err := a.current(ctx)
	if err != nil && !(req.All && kb.CodeOf(err) == kb.NotFound) {
		return nil, err
	}
	if space.Created.After(at) && !req.All {
		return nil, kb.Errorf(kb.NotFound, "the space %s was not there at %s", space.Name, at.UTC().Format(time.RFC3339)).
			WithHint("It was added at %s.", space.Created.UTC().Format(time.RFC3339))
	}
	var state []kb.Version
	changed := false
	if err := a.db.View(ctx, func(tx store.Tx) error {
		seq, err := tx.History().Seq(ctx, at)
		if err != nil {
			return err
		}
		later, _, err := tx.History().Versions(ctx, store.VersionFilter{After: seq}, 1, 0)
		if changed = len(later) > 0; err != nil || !changed {
			return err
		}
		state, err = tx.History().State(ctx, seq)
		return err
	}); err != nil {
		return nil, err
	}
	opts := a.opts
	opts.Space, opts.Now = space.Name, func() time.Time { return at.In(a.opts.Now().Location()) }
	p := &past{at: at.UTC().Truncate(time.Second), lost: map[string]int{}}
	if !changed {
		p.App = &App{memory: a.memory, opts: opts}
		return p, nil
	}
	if p.temp, err = sqlite.OpenTemporary(ctx, sqlite.Options{Clock: opts.Now}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	p.App = &App{opts: opts, memory: &memory{
		db: pastDB{p.temp, a.db}, index: index.New(), codecs: a.codecs, open: map[int64]*opened{},
	}}
	report := req.Progress
	if report == nil {
		report = func(string, string, int, int) {}
	}
	r := &rebuilding{a: a, p: p, report: report, total: len(state)}
	if err := r.run(ctx, state); err != nil {
		return nil, err
	}
	if req.Mode == ModeHybrid || req.Mode == ModeVector {
		return p, r.embed(ctx)
	}
	return p, nil
}

// rebuilding fills a temporary memory.
type rebuilding struct {
	a           *App
	p           *past
	report      func(space, phase string, done, total int)
	done, total int
}

func (r *rebuilding) run(ctx context.Context, state []kb.Version) error {
	spaces, err := r.a.spaces(ctx)
	if err != nil {
		return err
	}
	for _, s := range spaces {
		if s.Created.After(r.p.opts.Now()) {
			continue // it was not there yet
		}
		then := s
		if err := r.p.temp.Update(ctx, func(tx store.Tx) error { return tx.Spaces().Add(ctx, &then) }); err != nil {
			return err
		}
		var own []kb.Version
		for _, v := range state {
			if v.Space == s.Row {
				own = append(own, v)
			}
		}
		if err := r.space(ctx, s, then, own); err != nil {
			return err
		}
	}
	return nil
}

// A batch is indexed when it holds this many documents or bytes, as in a sync.
const (
	pastDocuments = 1000
	pastBytes     = 8 << 20
)

// space indexes the documents of a space, in the order in which they were
// indexed first: pages of equal score come in that order.
func (r *rebuilding) space(ctx context.Context, now, then kb.Space, state []kb.Version) error {
	dates, err := r.dates(ctx, now, state)
	if err != nil {
		return err
	}
	for len(state) > 0 {
		// As many batches at a time as there are workers.
		var batches [][]kb.Version
		for len(state) > 0 && len(batches) < max(1, r.a.opts.Workers) {
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
			if err := r.p.temp.Update(ctx, func(tx store.Tx) error {
				return r.p.index.Put(ctx, tx, then, d.documents, d.texts)
			}); err != nil {
				return err
			}
			r.done += len(batches[i])
			r.report("", "indexing as of "+r.p.at.Format(time.DateOnly), r.done, r.total)
		}
	}
	return nil
}

// dates returns the modification times of documents whose newest version was
// recorded without one, by Seq.
func (r *rebuilding) dates(ctx context.Context, s kb.Space, state []kb.Version) (map[int64]time.Time, error) {
	out := map[int64]time.Time{}
	if !slices.ContainsFunc(state, func(v kb.Version) bool { return v.ModTime.IsZero() }) {
		return out, nil
	}
	return out, r.a.db.View(ctx, func(tx store.Tx) error {
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
}

type derivedBatch struct {
	documents []*index.Derived
	texts     *index.Texts
	lost      int
}

func (r *rebuilding) derive(ctx context.Context, space kb.Space, versions []kb.Version, dates map[int64]time.Time) (derivedBatch, error) {
	out := derivedBatch{texts: index.NewTexts()}
	err := r.a.db.View(ctx, func(tx store.Tx) error {
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
			mod := v.ModTime
			if mod.IsZero() {
				mod = dates[v.Seq]
			}
			if mod.IsZero() {
				mod = v.Time
			}
			d := index.Derive(doc.ForPath(r.a.codecs, v.Path), index.Source{
				Space: space, Path: v.Path, Bytes: text, ModTime: mod, Now: v.Time,
			}, mask)
			d.Record.ID, d.Record.Version = v.Page, v.Version
			out.texts.Add(d)
			out.documents = append(out.documents, d)
		}
		return nil
	})
	return out, err
}

// embed gives the pages of then their vectors: those that are there still, and
// the rest computed anew. A model that cannot be had is said by the search.
func (r *rebuilding) embed(ctx context.Context) error {
	m, err := r.a.activeModel(ctx)
	if err != nil {
		return ctx.Err()
	}
	if err := r.copyVectors(ctx, m); err != nil {
		return err
	}
	r.p.embedder, _ = m.(*embedder) // opened already; copyVectors made it the active one there
	if _, err := r.p.Embed(ctx, EmbedRequest{All: true, Progress: func(done, total int) {
		r.report("", "embedding as of "+r.p.at.Format(time.DateOnly), done, total)
	}}); err != nil {
		return fmt.Errorf("embed what was known then: %w", err)
	}
	return nil
}

// copyVectors takes over what pages have that were there then; of a page that
// changed since the passages that did not are used again.
func (r *rebuilding) copyVectors(ctx context.Context, m embed.Embedder) error {
	return r.a.db.View(ctx, func(now store.Tx) error {
		return r.p.temp.Update(ctx, func(tx store.Tx) error {
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
			for chunk := range slices.Chunk(rows, embedPages) {
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
