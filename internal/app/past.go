package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/embedding"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
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
	temp store.Engine   // nil when nothing has changed since
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
	err = p.finish(&out)
	return out, err
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
	err = p.finish(&out.SearchResult)
	return out, err
}

// finish says of an answer when it is from, and refuses one about documents
// that are not kept any more.
func (p *past) finish(out *SearchResult) error {
	out.AsOf, out.SyncedAt = &p.at, nil
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

// thereAt returns an error when none of the spaces was there at a time.
func thereAt(spaces []kb.Space, at time.Time) error {
	first := slices.MinFunc(spaces, func(s, t kb.Space) int { return s.Created.Compare(t.Created) })
	if !first.Created.After(at) {
		return nil
	}
	return kb.Errorf(kb.NotFound, "the space %s was not there at %s", first.Name, at.UTC().Format(time.RFC3339)).
		WithHint("It was added at %s.", first.Created.UTC().Format(time.RFC3339))
}

// openPast returns the memory as it was at the time of the request, searched
// as by the same caller at that time.
func (a *App) openPast(ctx context.Context, req SearchRequest) (_ *past, err error) {
	at, err := query.Instant(req.AsOf, a.opts.Now())
	if err != nil {
		return nil, err
	}
	if now := a.opts.Now(); at.After(now) {
		at = now
	}
	meant, err := a.spaces.Meant(ctx)
	if err != nil && !(req.All && kb.CodeOf(err) == kb.NotFound) {
		return nil, err
	}
	if !req.All {
		if err := thereAt(meant, at); err != nil {
			return nil, err
		}
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
	opts.Now = func() time.Time { return at.In(a.opts.Now().Location()) }
	if len(meant) == 1 {
		opts.Space = meant[0].Name
	}
	p := &past{at: at.UTC().Truncate(time.Second), lost: map[string]int{}}
	if !changed {
		p.App = a.as(opts)
		return p, nil
	}
	if p.temp, err = open.Temporary(ctx, store.Options{Clock: opts.Now}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	past := &memory{db: pastDB{p.temp, a.db}, index: index.New(), codecs: a.codecs, handles: space.NewHandles(), embeddings: &embedding.State{}}
	p.App = past.as(opts)
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
