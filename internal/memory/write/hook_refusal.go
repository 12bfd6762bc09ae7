package write

import (
	"context"
	"encoding/json"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// HookRefusal is the output of a hook that rejected a commit of files that remain.
type HookRefusal struct {
	Files []string `json:"files"`
	Why   string   `json:"why"`
}

func refusalKey(space kb.ID) string { return "git.refused." + string(space) }

// LastHookRefusal returns the last refusal in a space. Its files may have been committed since.
func LastHookRefusal(ctx context.Context, tx store.Tx, space kb.ID) (r HookRefusal, err error) {
	text, err := tx.Settings().Get(ctx, refusalKey(space))
	if err != nil || text == "" {
		return r, err
	}
	if json.Unmarshal([]byte(text), &r) != nil {
		return HookRefusal{}, nil // it only records the past: the next commit reports it again
	}
	return r, nil
}

// SetHookRefusal records a refusal, replacing the last one; without files it only
// removes that.
func SetHookRefusal(ctx context.Context, tx store.Tx, space kb.ID, r HookRefusal) error {
	text, err := json.Marshal(r)
	if err != nil {
		return kb.Errorf(kb.Internal, "cannot store the refusal of a hook: %w", err)
	}
	if len(r.Files) == 0 {
		text = nil
	}
	return tx.Settings().Set(ctx, refusalKey(space), string(text))
}
