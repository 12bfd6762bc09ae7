package reconcile

import (
	"context"
	"errors"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/store"
)

// rederiveBatch is how many documents are derived again in one transaction.
const rederiveBatch = 500

// Rederive derives every document of an open space again from its stored bytes, by
// the rules of this binary and the syntax and filing of the space's policy. Ids and
// history are unchanged, and versions are those of the history. A document without
// stored bytes is unchanged.
func (s *Syncer) Rederive(ctx context.Context, space kb.Space) (err error) {
	unlock, err := s.Writer.Lock(ctx, space)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	var states []store.FileState
	err = s.Writer.Memory.View(ctx, func(tx store.Tx) error {
		states, err = tx.Documents().States(ctx, space.Row)
		return err
	})
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(states, rederiveBatch) {
		if err := s.Writer.Memory.Update(ctx, func(tx store.Tx) error { return s.rederive(ctx, tx, space, batch) }); err != nil {
			return err
		}
	}
	return s.change(ctx, space.Row, func(sp *kb.Space) {
		sp.Derivation, sp.Syntax, sp.Filing = index.Derivation, space.Syntax, space.Filing
	})
}

func (s *Syncer) rederive(ctx context.Context, tx store.Tx, space kb.Space, states []store.FileState) error {
	var put []*index.Derived
	for _, st := range states {
		have, err := tx.Documents().ByRow(ctx, st.Row)
		if err != nil {
			return err
		}
		bytes, err := tx.History().Bytes(ctx, st.Hash)
		if kb.CodeOf(err) == kb.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		side, err := index.StoredSide(ctx, tx, st.Side)
		if kb.CodeOf(err) == kb.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		newest, err := tx.History().Version(ctx, space.Row, st.ID, 0)
		if kb.CodeOf(err) == kb.NotFound {
			newest.Version = have.Version
		} else if err != nil {
			return err
		}
		d := index.Derive(doc.ForNote(s.Writer.Codecs, space.Syntax, st.Path), index.Source{
			Space: space, Path: st.Path, Bytes: bytes, ModTime: st.ModTime, Side: side, Now: st.Indexed,
		}, s.Writer.Mask)
		d.Record.Row, d.Record.ID, d.Record.Version, d.Record.Recorded = st.Row, st.ID, newest.Version, have.Recorded
		put = append(put, d)
	}
	return s.Writer.Index.Put(ctx, tx, space, put, nil)
}
