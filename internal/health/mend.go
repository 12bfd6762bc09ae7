package health

import (
	"context"
	"errors"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
	"github.com/cairn-kb/cairn/internal/reconcile"
	"github.com/cairn-kb/cairn/internal/store"
)

// Mended is what became of one check that Mend took on.
type Mended struct {
	Name  string `json:"name"`
	Fix   string `json:"fix"`
	Error string `json:"error,omitempty"` // why it could not be done; nothing was lost
	Hint  string `json:"hint,omitempty"`
}

// Mend does what the checks' Fix says, in their order, and goes on where one
// fails. It touches no document: permissions, settings, and rows that are
// derived from documents are all that it changes.
func (h *Checker) Mend(ctx context.Context, checks []api.Check) ([]Mended, error) {
	out := []Mended{}
	for _, c := range checks {
		if c.Mend == nil {
			continue
		}
		m := Mended{Name: c.Name, Fix: c.Fix}
		if err := c.Mend(ctx); err != nil {
			if ctx.Err() != nil {
				return out, err
			}
			e := kb.AsError(err)
			m.Error, m.Hint = e.Error(), h.Hint.Of(e)
		}
		out = append(out, m)
	}
	return out, nil
}

// Fixable returns the checks that Mend would take on.
func Fixable(checks []api.Check) []api.Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c api.Check) bool { return c.Mend == nil })
}

// tighten takes from others what they may do with the memory's files.
func tighten(loose []fsys.Loose) func(context.Context) error {
	return func(context.Context) error { return fsys.Explain(fsys.Tighten(loose), "change permissions") }
}

// syncSpace indexes what changed in one directory.
func (h *Checker) syncSpace(row int64) func(context.Context) error {
	return func(ctx context.Context) error {
		return h.sync(ctx, row, reconcile.Options{})
	}
}

func (h *Checker) sync(ctx context.Context, row int64, opts reconcile.Options) error {
	space, err := h.Spaces.Open(ctx, row)
	if err != nil {
		return err
	}
	_, err = h.Syncer.Sync(ctx, space, opts)
	return err
}

// reindexBatch is how many documents are derived again in one transaction.
const reindexBatch = 500

// reindex derives every document of a space again from its stored bytes.
// Ids and history stay, and versions are those of the history.
func (h *Checker) reindex(ctx context.Context, s kb.Space) (err error) {
	space, err := h.Spaces.Open(ctx, s.Row)
	if err != nil {
		return err
	}
	unlock, err := h.Lock(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	var states []store.FileState
	err = h.DB.View(ctx, func(tx store.Tx) error {
		states, err = tx.Documents().States(ctx, s.Row)
		return err
	})
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(states, reindexBatch) {
		err := h.DB.Update(ctx, func(tx store.Tx) error {
			put := make([]*index.Derived, len(batch))
			for i, st := range batch {
				have, err := tx.Documents().ByRow(ctx, st.Row)
				if err != nil {
					return err
				}
				bytes, err := tx.History().Bytes(ctx, st.Hash)
				if err != nil {
					return err
				}
				newest, err := tx.History().Version(ctx, s.Row, st.ID, 0)
				if kb.CodeOf(err) == kb.NotFound {
					newest.Version = have.Version
				} else if err != nil {
					return err
				}
				put[i] = index.Derive(doc.ForNote(h.Codecs, st.Path), index.Source{
					Space: space.Space, Path: st.Path, Bytes: bytes, ModTime: st.ModTime, Now: st.Indexed,
				}, secrets.Hide)
				put[i].Record.Row, put[i].Record.ID, put[i].Record.Version = st.Row, st.ID, newest.Version
			}
			return h.Index.Put(ctx, tx, space.Space, put, nil)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
