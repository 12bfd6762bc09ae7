package importer

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// reader reads the data of another program; batch.run writes the results.
type reader interface {
	// open prepares the spaces of the drafts.
	open(context.Context) ([]*write.Space, way, error)
	// drafts yields changes in order, in parts.
	drafts(context.Context) iter.Seq2[draft, error]
	// finish completes the receipt after the write.
	finish(context.Context) error
}

// draft is a part of an import.
type draft struct {
	changes []write.Change
	after   func(context.Context, store.Tx, []kb.Version) error // in the transaction of the changes; may be nil
}

// way is how the drafts of an import become one write.
type way int

const (
	notAtAll way = iota // they are only counted
	inParts             // in one transaction, draft by draft
	atOnce              // all together
)

// run imports all drafts of a reader, or none.
func (b *batch) run(ctx context.Context, r reader) (Receipt, error) {
	spaces, by, err := r.open(ctx)
	if err == nil {
		err = b.write(ctx, spaces, by, r.drafts(ctx))
	}
	if err == nil {
		err = r.finish(ctx)
	}
	if err != nil && b.out.Write == 0 {
		return Receipt{}, unmake(ctx, b.Session, b.made, err)
	}
	return *b.out, err
}

// write applies drafts as one write.
func (b *batch) write(ctx context.Context, spaces []*write.Space, by way, drafts iter.Seq2[draft, error]) error {
	if by == inParts {
		return b.inOne(ctx, spaces, drafts)
	}
	var all []draft
	for d, err := range drafts {
		if err != nil {
			return err
		}
		if by == atOnce {
			all = append(all, d)
		}
	}
	var changes []write.Change
	for _, d := range all {
		changes = append(changes, d.changes...)
	}
	after := func(ctx context.Context, tx store.Tx, versions []kb.Version) error {
		for _, d := range all {
			if d.after != nil {
				if err := d.after(ctx, tx, versions); err != nil {
					return err
				}
			}
		}
		return nil
	}
	switch {
	case len(changes) > 0:
		w, err := change.ApplyRequest(ctx, b.Session, b.request(changes, after), b.req.Diff)
		b.out.wroteAtOnce(w)
		return err
	case len(all) > 0:
		return b.Session.DB.Update(ctx, func(tx store.Tx) error { return after(ctx, tx, nil) })
	}
	return nil
}

func (b *batch) request(changes []write.Change, after func(context.Context, store.Tx, []kb.Version) error) write.Request {
	slices.SortStableFunc(changes, func(x, y write.Change) int { return cmp.Compare(x.Space.Name, y.Space.Name) })
	message := b.req.Message
	if message == "" {
		source := b.hide(b.req.File)
		if slices.ContainsFunc(changes, func(c write.Change) bool { return c.Space.Guards() }) {
			source = filepath.Base(source) // the message becomes part of a commit, which others may see
		}
		message = From(source)
	}
	return write.Request{
		Actor: b.Actor, Operation: ImportKind, Message: message, Changes: changes,
		AllowSecrets: b.req.AllowSecrets, RewriteTimeline: b.req.RewriteTimeline, Within: after,
	}
}

// From returns the default message of an import.
func From(source string) string { return "from " + source }

// inOne locks database spaces and applies drafts one after the other, in one transaction and
// as one entry of the history, so that only one draft has to be in memory.
func (b *batch) inOne(ctx context.Context, spaces []*write.Space, drafts iter.Seq2[draft, error]) (err error) {
	e, out := b.Session, b.out
	// With the locks it does not wait for its turn: the holder of the turn may wait for the
	// locks.
	ctx, over, err := turn.Alone(ctx, e.DB, write.MaxDocument)
	if err != nil {
		return err
	}
	defer over()
	for _, s := range slices.SortedFunc(slices.Values(spaces), func(x, y *write.Space) int { return cmp.Compare(x.Row, y.Row) }) {
		if _, err := e.RunHooks(ctx, e.Hooks.BeforeWrite, s.Space, false); err != nil {
			return err
		}
		unlock, busy := e.Writer.Lock(ctx, s.Space)
		if busy != nil {
			return busy
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	defer func() { b.Session = e }()
	err = e.DB.Update(store.WithLittleCache(ctx), func(tx store.Tx) error {
		one := &oneWrite{Tx: tx}
		db := inTx{e.DB, one}
		b.Session = e.As(e.Actor, memory.HookRotate, memory.HookGenerate) // these hooks work within the transaction
		b.Session.DB, b.Session.OnWritten = db, nil
		b.Session.Writer = &write.Writer{
			Memory: db, Index: e.Writer.Index, Codecs: e.Writer.Codecs, Now: e.Writer.Now, Mask: e.Writer.Mask,
			Lock: func(context.Context, kb.Space) (func() error, error) { return func() error { return nil }, nil },
		}
		for d, err := range drafts {
			if err == nil {
				err = b.apply(ctx, tx, d)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		out.Write = 0
		return err
	}
	if e.OnWritten != nil && len(out.Changed()) > 0 {
		e.OnWritten(out.Written)
	}
	if out.Write != 0 {
		for _, s := range spaces {
			if _, err := e.RunHooks(context.WithoutCancel(ctx), e.Hooks.AfterWrite, s.Space, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply applies a draft, and adds the result to the receipt.
func (b *batch) apply(ctx context.Context, tx store.Tx, d draft) error {
	var written []kb.Version
	if len(d.changes) > 0 {
		w, err := change.ApplyRequest(ctx, b.Session, b.request(d.changes, func(_ context.Context, _ store.Tx, versions []kb.Version) error {
			written = versions
			return nil
		}), b.req.Diff)
		if err != nil {
			return err
		}
		if w.Write != 0 {
			b.out.Write = w.Write
		}
		b.out.wrote(w.Pages)
		moved(&b.out.Opened, b.out.Closed, w.Opened)
		moved(&b.out.Closed, b.out.Opened, w.Closed)
	}
	if d.after == nil {
		return nil
	}
	return d.after(ctx, tx, written)
}

// pulled converts a function that pushes values to a sequence.
func pulled[T any](push func(add func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stopped := false
		err := push(func(v T) error {
			if stopped = !yield(v, nil); stopped {
				return errStopped
			}
			return nil
		})
		if err != nil && !stopped {
			yield(*new(T), err)
		}
	}
}

// errStopped ends a read early.
var errStopped = errors.New("stopped")

// moved adds opened contradictions to those opened, or closed ones to those closed. A
// contradiction that was both opened and closed is in neither.
func moved(to *map[string]string, other, more map[string]string) {
	for id, text := range more {
		if _, ok := other[id]; ok {
			delete(other, id)
			continue
		}
		if *to == nil {
			*to = map[string]string{}
		}
		(*to)[id] = text
	}
}

// takesParts reports whether a write to a space can be made in parts: it is a database space
// with pages that do not affect others, since they could affect other pages of the import.
func takesParts(s *write.Space) bool {
	return s.Kind == kb.DatabaseSpace && len(s.Policy.Lifecycle.Effects) == 0
}

// inTx is a memory within a running transaction.
type inTx struct {
	store.Engine
	tx *oneWrite
}

func (m inTx) View(_ context.Context, f func(store.Tx) error) error   { return f(m.tx) }
func (m inTx) Update(_ context.Context, f func(store.Tx) error) error { return f(m.tx) }

// oneWrite is a transaction that records everything as one write.
type oneWrite struct {
	store.Tx
	id int64
}

func (o *oneWrite) History() store.History { return oneHistory{o.Tx.History(), o} }

type oneHistory struct {
	store.History
	of *oneWrite
}

func (h oneHistory) Record(ctx context.Context, w *kb.Write, versions []*store.NewVersion) error {
	w.ID = h.of.id
	err := h.History.Record(ctx, w, versions)
	h.of.id = w.ID
	return err
}
