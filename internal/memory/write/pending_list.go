package write

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// PendingCommit is a write with a deferred commit. Its bytes are in the history or, for
// files that are not pages, in the files alone.
type PendingCommit struct {
	Time      time.Time     `json:"time"`
	Actor     kb.Actor      `json:"actor"`
	Operation string        `json:"operation"`
	Message   string        `json:"message,omitempty"`
	Base      string        `json:"base,omitempty"` // the checked-out commit; "" if unknown
	Files     []PendingFile `json:"files"`
	Why       string        `json:"why"`
}

// PendingFile is a file of a held write; it has no hash where the write deleted it.
type PendingFile struct {
	Path string   `json:"path"`
	Hash *kb.Hash `json:"hash,omitempty"`
}

// Of returns the write as recorded in the history.
func (w PendingCommit) Of() kb.Write {
	return kb.Write{Time: w.Time, Actor: w.Actor, Operation: w.Operation, Message: w.Message}
}

func pendingKey(space kb.ID) string { return "git.held." + string(space) }

// PendingCommits returns the writes of a space with deferred commits, in order.
func PendingCommits(ctx context.Context, tx store.Tx, space kb.ID) (all []PendingCommit, err error) {
	text, err := tx.Settings().Get(ctx, pendingKey(space))
	if err != nil || text == "" {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, kb.Errorf(kb.Damaged, "the list of writes that wait for their commits cannot be read: %w", err)
	}
	return all, nil
}

// SetPendingCommits replaces the list of a space.
func SetPendingCommits(ctx context.Context, tx store.Tx, space kb.ID, all []PendingCommit) error {
	text, err := json.Marshal(all)
	if err != nil {
		return kb.Errorf(kb.Internal, "cannot note which commits wait: %w", err)
	}
	if len(all) == 0 {
		text = nil
	}
	return tx.Settings().Set(ctx, pendingKey(space), string(text))
}

// RemovePendingCommit takes a write off the list of a space, known by when it was made and by its files.
func RemovePendingCommit(ctx context.Context, tx store.Tx, space kb.ID, w PendingCommit) error {
	all, err := PendingCommits(ctx, tx, space)
	if err != nil {
		return err
	}
	return SetPendingCommits(ctx, tx, space, slices.DeleteFunc(all, w.is))
}

// SetPendingReason updates the reason of a deferred commit.
func SetPendingReason(ctx context.Context, tx store.Tx, space kb.ID, w PendingCommit, why string) error {
	all, err := PendingCommits(ctx, tx, space)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(all, w.is); i >= 0 {
		all[i].Why = why
	}
	return SetPendingCommits(ctx, tx, space, all)
}

func (w PendingCommit) is(o PendingCommit) bool {
	return w.Time.Equal(o.Time) && slices.EqualFunc(w.Files, o.Files, func(a, b PendingFile) bool { return a.Path == b.Path })
}

// AddPendingCommit puts a write at the end of the list of a space.
func AddPendingCommit(ctx context.Context, tx store.Tx, space kb.ID, w PendingCommit) error {
	all, err := PendingCommits(ctx, tx, space)
	if err != nil {
		return err
	}
	return SetPendingCommits(ctx, tx, space, append(all, w))
}
