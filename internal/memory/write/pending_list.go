package write

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Write is a write with a deferred commit. Its bytes are in the history or, for
// files that are not pages, in the files alone.
type Write struct {
	Time      time.Time `json:"time"`
	Actor     kb.Actor  `json:"actor"`
	Operation string    `json:"operation"`
	Message   string    `json:"message,omitempty"`
	Base      string    `json:"base,omitempty"` // the checked-out commit; "" if unknown
	Files     []File    `json:"files"`
	Why       string    `json:"why"`
}

// File is a file of a held write; it has no hash where the write deleted it.
type File struct {
	Path string   `json:"path"`
	Hash *kb.Hash `json:"hash,omitempty"`
}

// Of returns the write as recorded in the history.
func (w Write) Of() kb.Write {
	return kb.Write{Time: w.Time, Actor: w.Actor, Operation: w.Operation, Message: w.Message}
}

func key(space kb.ID) string { return "git.held." + string(space) }

// In returns the writes of a space with deferred commits, in order.
func In(ctx context.Context, tx store.Tx, space kb.ID) (all []Write, err error) {
	text, err := tx.Settings().Get(ctx, key(space))
	if err != nil || text == "" {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, kb.Errorf(kb.Damaged, "the list of writes that wait for their commits cannot be read: %w", err)
	}
	return all, nil
}

// Set replaces the list of a space.
func Set(ctx context.Context, tx store.Tx, space kb.ID, all []Write) error {
	text, err := json.Marshal(all)
	if err != nil {
		return kb.Errorf(kb.Internal, "cannot note which commits wait: %w", err)
	}
	if len(all) == 0 {
		text = nil
	}
	return tx.Settings().Set(ctx, key(space), string(text))
}

// Remove takes a write off the list of a space, known by when it was made and by its files.
func Remove(ctx context.Context, tx store.Tx, space kb.ID, w Write) error {
	all, err := In(ctx, tx, space)
	if err != nil {
		return err
	}
	return Set(ctx, tx, space, slices.DeleteFunc(all, w.is))
}

// Waits updates the reason of a deferred commit.
func Waits(ctx context.Context, tx store.Tx, space kb.ID, w Write, why string) error {
	all, err := In(ctx, tx, space)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(all, w.is); i >= 0 {
		all[i].Why = why
	}
	return Set(ctx, tx, space, all)
}

func (w Write) is(o Write) bool {
	return w.Time.Equal(o.Time) && slices.EqualFunc(w.Files, o.Files, func(a, b File) bool { return a.Path == b.Path })
}

// Add puts a write at the end of the list of a space.
func Add(ctx context.Context, tx store.Tx, space kb.ID, w Write) error {
	all, err := In(ctx, tx, space)
	if err != nil {
		return err
	}
	return Set(ctx, tx, space, append(all, w))
}
