package retrieve

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// past is a memory as it was.
type past struct {
	*Engine
	at   time.Time
	made *made          // nil when nothing has changed since
	lost map[string]int // documents whose text is not kept any more, by space
}

// close gives the memory back; after a failure it is not kept.
func (p *past) close(ctx context.Context, pasts *Pasts, now time.Time, failed error) error {
	if p.made == nil {
		return nil
	}
	bytes := int64(0)
	if p.made.temp != nil {
		info, err := p.made.temp.Info(context.WithoutCancel(ctx))
		failed = errors.Join(failed, err)
		bytes = info.Bytes
		if p.made.embedded != "" {
			bytes *= 2 // vectors are in memory once more, to be searched
		}
	}
	return pasts.leave(p.made, now, bytes, failed != nil)
}

// pastDB has the index of then and the history of now, where all texts are.
type pastDB struct {
	store.Engine
	now store.Memory
}

func (p pastDB) View(ctx context.Context, f func(store.Tx) error) error {
	return p.now.View(ctx, func(now store.Tx) error {
		return p.Engine.View(ctx, func(tx store.Tx) error { return f(pastTx{tx, now}) })
	})
}

type pastTx struct {
	store.Tx
	now store.Tx
}

func (t pastTx) History() store.History { return t.now.History() }

// SearchPast is a search for a request as of a time.
func (e *Engine) SearchPast(ctx context.Context, req SearchRequest) (out api.SearchResult, err error) {
	p, err := e.openPast(ctx, req)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, p.close(ctx, e.Pasts, e.Now(), nil)) }()
	req.AsOf, req.Sync = "", false
	s, err := p.Plan(ctx, req)
	if err != nil {
		return out, err
	}
	if out, err = s.Answer(ctx); err != nil {
		return out, err
	}
	err = p.finish(&out)
	return out, err
}

// QueryPast is a query, which was checked, for a request as of a time.
func (e *Engine) QueryPast(ctx context.Context, req QueryRequest) (out QueryResult, err error) {
	p, err := e.openPast(ctx, req.SearchRequest)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, p.close(ctx, e.Pasts, e.Now(), nil)) }()
	req.AsOf, req.Sync = "", false
	s, err := p.Plan(ctx, req.SearchRequest)
	if err != nil {
		return out, err
	}
	if out, err = s.Serve(ctx, req.Depth, req.Budget); err != nil {
		return out, err
	}
	err = p.finish(&out.SearchResult)
	return out, err
}

// finish says of an answer when it is from, and refuses one about documents
// that are not kept any more.
func (p *past) finish(out *api.SearchResult) error {
	out.AsOf, out.SyncedAt = &p.at, nil
	for space, n := range p.lost {
		if slices.Contains(out.Spaces, space) {
			return p.unknown(space, n)
		}
	}
	if len(p.lost) > 0 {
		out.Notes = append(out.Notes, "other spaces are not known any more as they were then; scores may differ from those of then")
	}
	return nil
}

// unknown says that so many documents of a space are not kept any more.
func (p *past) unknown(space string, n int) error {
	return kb.Errorf(kb.NotFound, "what %s held at %s is not known any more: of %d documents the text of then is not kept", space, p.at.Format(time.RFC3339), n).
		WithHint("The space's retention prunes old versions. Ask for the end of a day, week or month that it keeps, or for a later time.").
		With("documents", n).With("space", space)
}

// thereAt returns an error when none of the spaces was there at a time.
func thereAt(spaces []kb.Space, at time.Time) error {
	first := slices.MinFunc(spaces, func(s, t kb.Space) int { return s.Created.Compare(t.Created) })
	if !first.Created.After(at) {
		return nil
	}
	return kb.Errorf(kb.NotFound, "the space %s was not there at %s", first.Name, at.UTC().Format(time.RFC3339)).
		WithHint("It was added at %s.", first.Created.UTC().Format(time.RFC3339))
}

// asOf returns the engine of the same caller at another time.
func (e *Engine) asOf(now func() time.Time, asked string) *Engine {
	spaces, model, out := *e.Spaces, *e.Embedding, *e
	spaces.Now, spaces.Asked = now, asked
	model.Now, model.Spaces = now, &spaces
	model.Refs = &ref.Resolver{DB: e.DB, Spaces: &spaces, Codecs: e.Codecs}
	out.Now, out.Spaces, out.Embedding = now, &spaces, &model
	return &out
}

// over turns the engine into that of a memory of its own.
func (e *Engine) over(db store.Engine, m *made) *Engine {
	e.DB, e.Index, e.Kept = db, m.index, nil
	e.Spaces.DB, e.Spaces.Index, e.Spaces.Handles, e.Spaces.Lock = db, e.Index, m.handles, nil
	e.Embedding.DB, e.Embedding.Refs.DB, e.Embedding.State = db, db, m.state
	return e
}

// openPast returns the memory as it was at the time of the request, searched
// as by the same caller at that time.
func (e *Engine) openPast(ctx context.Context, req SearchRequest) (_ *past, err error) {
	at, err := query.Instant(req.AsOf, e.Now())
	if err != nil {
		return nil, err
	}
	if now := e.Now(); at.After(now) {
		at = now
	}
	var (
		meant, spaces []kb.Space
		seq           int64
		key           pastKey
		changed       bool
	)
	mark, err := e.DB.Changed(ctx)
	if err != nil {
		return nil, err
	}
	if err := e.DB.View(ctx, func(tx store.Tx) error {
		meant, err = e.Spaces.AskedTx(ctx, tx)
		if err != nil && !(req.All && kb.CodeOf(err) == kb.NotFound) {
			return err
		}
		if !req.All {
			if err := thereAt(meant, at); err != nil {
				return err
			}
		}
		if spaces, err = tx.Spaces().All(ctx); err != nil {
			return err
		}
		if seq, err = tx.History().Seq(ctx, at); err != nil {
			return err
		}
		later, _, err := tx.History().Versions(ctx, store.VersionFilter{After: seq}, 1, 0)
		if changed = len(later) > 0; err != nil || !changed {
			return err
		}
		key, err = e.keyOfPast(ctx, tx, spaces, at, seq, mark)
		return err
	}); err != nil {
		return nil, err
	}
	now := func() time.Time { return at.In(e.Now().Location()) }
	asked := e.Spaces.Asked
	if len(meant) == 1 {
		asked = meant[0].Name
	}
	p := &past{at: at.UTC().Truncate(time.Second)}
	if !changed {
		p.Engine = e.asOf(now, asked)
		return p, nil
	}
	if p.made, err = e.Pasts.take(ctx, key); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close(ctx, e.Pasts, e.Now(), err))
		}
	}()
	report := req.Progress
	if report == nil {
		report = func(string, string, int, int) {}
	}
	fresh := p.made.temp == nil
	if fresh {
		if p.made.temp, err = e.Temporary(ctx, store.Options{Clock: now}); err != nil {
			return nil, err
		}
	}
	p.lost = p.made.lost
	p.Engine = e.asOf(now, asked).over(pastDB{p.made.temp, e.DB}, p.made)
	r := &rebuilding{a: e, p: p, report: report}
	if fresh {
		if err := r.run(ctx, spaces, seq); err != nil {
			return nil, err
		}
	}
	if req.Mode == api.ModeHybrid || req.Mode == api.ModeVector {
		return p, r.embed(ctx)
	}
	return p, nil
}
