package gitsync

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// noted is the recorded state of a space and its repository.
type noted struct {
	Push  *outcome `json:"push,omitempty"`  // the last one
	Fetch *outcome `json:"fetch,omitempty"` // the last one

	Failing []string `json:"failing,omitempty"` // files that were not committed because of fatal faults

	Asked   time.Time `json:"asked,omitzero"`    // last time that no remote was found
	Indexed string    `json:"indexed,omitempty"` // commit at which the index files were last checked
}

// outcome is the result of a push or a fetch.
type outcome struct {
	At    time.Time `json:"at"`
	Error string    `json:"error,omitempty"`
}

func notedKey(space kb.ID) string { return "git.noted." + string(space) }

func notedIn(ctx context.Context, tx store.Tx, space kb.ID) (n noted, err error) {
	text, err := tx.Settings().Get(ctx, notedKey(space))
	if err != nil || text == "" {
		return n, err
	}
	if json.Unmarshal([]byte(text), &n) != nil {
		return noted{}, nil // it is only a cache: the next commit and push write it again
	}
	return n, nil
}

func readNoted(ctx context.Context, sess *memory.Session, space kb.ID) (n noted, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		n, err = notedIn(ctx, tx, space)
		return err
	})
	return n, err
}

func note(ctx context.Context, sess *memory.Session, space kb.ID, change func(*noted)) error {
	return sess.DB.Update(ctx, func(tx store.Tx) error {
		n, err := notedIn(ctx, tx, space)
		if err != nil {
			return err
		}
		change(&n)
		text, err := json.Marshal(n)
		if err != nil {
			return kb.Errorf(kb.Internal, "cannot record the state of the repository: %w", err)
		}
		return tx.Settings().Set(ctx, notedKey(space), string(text))
	})
}
