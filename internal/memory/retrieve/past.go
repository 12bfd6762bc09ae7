package retrieve

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// past is a memory as it was.
type past struct {
	*memory.Session
	at   time.Time
	made *made          // nil when nothing has changed since
	lost map[string]int // documents without a kept text, by space
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
func SearchPast(ctx context.Context, sess *memory.Session, req SearchRequest) (out api.SearchResult, err error) {
	p, err := openPast(ctx, sess, req)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, p.close(ctx, memory.Keep[Pasts](sess), sess.Now(), nil)) }()
	req.AsOf, req.Sync = "", false
	s, err := Plan(ctx, p.Session, req)
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
func QueryPast(ctx context.Context, sess *memory.Session, req QueryRequest) (out api.QueryResult, err error) {
	p, err := openPast(ctx, sess, req.SearchRequest)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, p.close(ctx, memory.Keep[Pasts](sess), sess.Now(), nil)) }()
	req.AsOf, req.Sync = "", false
	s, err := Plan(ctx, p.Session, req.SearchRequest)
	if err != nil {
		return out, err
	}
	if out, err = s.Serve(ctx, req); err != nil {
		return out, err
	}
	err = p.finish(&out.SearchResult)
	return out, err
}

// finish sets the time of an answer, and refuses one about documents
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

// thereAt returns an error when none of the spaces existed at a time.
func thereAt(spaces []kb.Space, at time.Time) error {
	first := slices.MinFunc(spaces, func(s, t kb.Space) int { return s.Created.Compare(t.Created) })
	if !first.Created.After(at) {
		return nil
	}
	return kb.Errorf(kb.NotFound, "the space %s was not there at %s", first.Name, at.UTC().Format(time.RFC3339)).
		WithHint("It was added at %s.", first.Created.UTC().Format(time.RFC3339))
}

// sessionAt returns the session of the same caller at another time.
func sessionAt(sess *memory.Session, now func() time.Time, asked string) *memory.Session {
	out, spaces := *sess, *sess.Spaces
	spaces.Now, spaces.Asked = now, asked
	out.Now, out.Spaces = now, &spaces
	out.Refs = &ref.Resolver{DB: sess.DB, Spaces: &spaces, Codecs: sess.Codecs}
	return &out
}

// over turns a session of sessionAt into one over a memory of its own.
func over(sess *memory.Session, db store.Engine, m *made) *memory.Session {
	sess.DB, sess.Index, sess.Kept, sess.Values = db, m.index, nil, &m.values
	sess.Spaces.DB, sess.Spaces.Index, sess.Spaces.Handles, sess.Spaces.Lock = db, sess.Index, m.handles, nil
	sess.Refs.DB = db
	return sess
}

// openPast returns the memory as it was at the time of the request, searched
// as by the same caller at that time.
func openPast(ctx context.Context, sess *memory.Session, req SearchRequest) (_ *past, err error) {
	at, err := query.Instant(req.AsOf, sess.Now())
	if err != nil {
		return nil, err
	}
	if now := sess.Now(); at.After(now) {
		at = now
	}
	var (
		meant, spaces []kb.Space
		seq           int64
		key           pastKey
		state         []kb.Version
		changed       bool
	)
	mark, err := sess.DB.Changed(ctx)
	if err != nil {
		return nil, err
	}
	if err := sess.DB.View(ctx, func(tx store.Tx) error {
		meant, err = sess.Spaces.AskedTx(ctx, tx)
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
		key, state, err = keyOfPast(ctx, sess, tx, spaces, at, seq, mark)
		return err
	}); err != nil {
		return nil, err
	}
	now := func() time.Time { return at.In(sess.Now().Location()) }
	asked := sess.Spaces.Asked
	if len(meant) == 1 {
		asked = meant[0].Name
	}
	p := &past{at: at.UTC().Truncate(time.Second)}
	if !changed {
		p.Session = sessionAt(sess, now, asked)
		return p, nil
	}
	if p.made, err = memory.Keep[Pasts](sess).take(ctx, key); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close(ctx, memory.Keep[Pasts](sess), sess.Now(), err))
		}
	}()
	report := req.Progress
	if report == nil {
		report = func(string, string, int, int) {}
	}
	fresh := p.made.temp == nil
	if fresh {
		if p.made.temp, err = begin(ctx, sess.DB, spaces, now); err != nil {
			return nil, err
		}
	}
	p.lost = p.made.lost
	p.Session = over(sessionAt(sess, now, asked), pastDB{p.made.temp, sess.DB}, p.made)
	r := &rebuilding{a: sess, p: p, report: report}
	if fresh {
		if err := r.run(ctx, spaces, seq, state); err != nil {
			return nil, err
		}
	}
	if req.Mode == api.ModeHybrid || req.Mode == api.ModeVector {
		return p, r.embed(ctx)
	}
	return p, nil
}
