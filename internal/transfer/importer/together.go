package importer

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// together makes change sets of database spaces that are one write: all of them in one
// transaction, and one entry of the history. So what an import brings need not be in memory
// all at once.
type together struct {
	engine *memory.Session // that works in the transaction
	out    *Receipt
}

// inOne locks spaces and calls f, which applies change sets; all of them happen, or none.
func inOne(ctx context.Context, e *memory.Session, spaces []*write.Space, out *Receipt, f func(context.Context, store.Tx, *together) error) (err error) {
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
	err = e.DB.Update(ctx, func(tx store.Tx) error {
		one := &oneWrite{Tx: tx}
		db := inTx{e.DB, one}
		inner := e.As(e.Actor, memory.HookRotate, memory.HookGenerate)
		inner.DB, inner.OnWritten = db, nil
		inner.Writer = &write.Writer{
			Memory: db, Index: e.Writer.Index, Codecs: e.Writer.Codecs, Now: e.Writer.Now, Mask: e.Writer.Mask,
			Lock: func(context.Context, kb.Space) (func() error, error) { return func() error { return nil }, nil },
		}
		return f(ctx, tx, &together{inner, out})
	})
	if err != nil {
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

// apply makes a change set, and adds what came of it to the answer.
func (t *together) apply(ctx context.Context, req write.Request, diff bool) error {
	w, err := change.ApplyRequest(ctx, t.engine, req, diff)
	if err != nil {
		return err
	}
	if w.Write != 0 {
		t.out.Write = w.Write
	}
	t.out.wrote(w.Pages)
	moved(&t.out.Opened, t.out.Closed, w.Opened)
	moved(&t.out.Closed, t.out.Opened, w.Closed)
	return nil
}

// moved adds contradictions to those that were opened, or closed; one that was closed, or
// opened, before is as it was.
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

// takesParts reports whether a write to a space can be made in parts: one that the memory
// keeps, and whose pages do not act on others, since one must not act on another that
// the import itself brings.
func takesParts(s *write.Space) bool {
	return s.Kind == kb.DatabaseSpace && len(s.Policy.Lifecycle.Effects) == 0
}

// inTx is a memory within a transaction that is under way.
type inTx struct {
	store.Engine
	tx *oneWrite
}

func (m inTx) View(_ context.Context, f func(store.Tx) error) error   { return f(m.tx) }
func (m inTx) Update(_ context.Context, f func(store.Tx) error) error { return f(m.tx) }

// oneWrite is a transaction in which all that is recorded is one write.
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
