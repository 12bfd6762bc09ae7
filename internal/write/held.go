package write

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/cairn-kb/cairn/internal/git"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Held is a write whose commit could not be made yet. Its bytes are in the history.
type Held struct {
	Time      time.Time  `json:"time"`
	Actor     kb.Actor   `json:"actor"`
	Operation string     `json:"operation"`
	Message   string     `json:"message,omitempty"`
	Base      string     `json:"base,omitempty"` // what was checked out; "" where that is not known
	Files     []HeldFile `json:"files"`
	Why       string     `json:"why"`
}

// HeldFile is a file of a held write; it has no hash where the write deleted it.
type HeldFile struct {
	Path string   `json:"path"`
	Hash *kb.Hash `json:"hash,omitempty"`
}

func heldKey(space kb.ID) string { return "git.held." + string(space) }

// HeldIn returns the writes of a space whose commits wait, in order.
func HeldIn(ctx context.Context, tx store.Tx, space kb.ID) (held []Held, err error) {
	text, err := tx.Settings().Get(ctx, heldKey(space))
	if err != nil || text == "" {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), &held); err != nil {
		return nil, kb.Errorf(kb.Damaged, "the list of writes that wait for their commits cannot be read: %w", err)
	}
	return held, nil
}

func setHeld(ctx context.Context, tx store.Tx, space kb.ID, held []Held) error {
	text, err := json.Marshal(held)
	if err != nil {
		return kb.Errorf(kb.Internal, "cannot note which commits wait: %w", err)
	}
	if len(held) == 0 {
		text = nil
	}
	return tx.Settings().Set(ctx, heldKey(space), string(text))
}

// hold notes which commits of a record wait.
func hold(ctx context.Context, tx store.Tx, guardeds []*guarded, rec *record) error {
	for _, g := range guardeds {
		if g.held == nil {
			continue
		}
		h := Held{Time: rec.Time, Actor: rec.Actor, Operation: rec.Operation, Message: rec.Message, Base: g.base, Why: g.held.Error()}
		for _, c := range g.changes(rec) {
			f := HeldFile{Path: c.Path}
			if c.New != nil {
				hash := index.Hash(c.New)
				f.Hash = &hash
			}
			h.Files = append(h.Files, f)
		}
		if len(h.Files) == 0 {
			continue
		}
		held, err := HeldIn(ctx, tx, g.space.ID)
		if err != nil {
			return err
		}
		if err := setHeld(ctx, tx, g.space.ID, append(held, h)); err != nil {
			return err
		}
	}
	return nil
}

// CommitHeld makes the commits of a space that wait, and returns how many it made. The
// error says why others still wait.
func (w *Writer) CommitHeld(ctx context.Context, space *Space) (n int, err error) {
	if !space.Guards() {
		return 0, nil
	}
	unlock, err := w.enter(ctx, []*Space{space})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	before, err := w.held(ctx, space)
	if err != nil || len(before) == 0 {
		return 0, err
	}
	g := &guarded{space: space, tree: &git.Tree{Dir: space.Root}}
	if g.repo, err = g.tree.Open(ctx); err != nil {
		return 0, err
	}
	release, err := g.repo.Lock(ctx, store.Patience(ctx, store.BusyTime))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, release()) }()
	err = w.commitHeld(ctx, g)
	after, lookErr := w.held(ctx, space)
	return len(before) - len(after), errors.Join(err, lookErr)
}

func (w *Writer) held(ctx context.Context, space *Space) (held []Held, err error) {
	err = w.Memory.View(ctx, func(tx store.Tx) error {
		held, err = HeldIn(ctx, tx, space.ID)
		return err
	})
	return held, err
}

// commitHeld makes the commits that wait, in their order, and notes each that is made.
// One whose files somebody else has committed since is not made any more.
func (w *Writer) commitHeld(ctx context.Context, g *guarded) error {
	held, err := w.held(ctx, g.space)
	if err != nil || len(held) == 0 {
		return err
	}
	head, err := g.tree.Head(ctx, g.repo)
	if err != nil {
		return err
	}
	stale := make([]bool, len(held))
	for i, h := range held {
		var paths []string
		for _, f := range h.Files {
			paths = append(paths, f.Path)
		}
		if h.Base == "" {
			h.Base = head // nothing says that somebody has
		}
		err := g.tree.Moved(ctx, g.repo, h.Base, head, paths)
		if stale[i] = errors.Is(err, git.ErrMoved); err != nil && !stale[i] {
			return err
		}
	}
	for i, h := range held {
		if !stale[i] {
			if err := w.commitOne(ctx, g, h); err != nil {
				return err
			}
		}
		if err := w.Memory.Update(ctx, func(tx store.Tx) error { return setHeld(ctx, tx, g.space.ID, held[i+1:]) }); err != nil {
			return err
		}
	}
	g.base, err = g.tree.Head(ctx, g.repo)
	return err
}

func (w *Writer) commitOne(ctx context.Context, g *guarded, h Held) error {
	var changes []git.Change
	for _, f := range h.Files {
		c := git.Change{Path: f.Path}
		if f.Hash != nil {
			err := w.Memory.View(ctx, func(tx store.Tx) (err error) {
				c.New, err = tx.History().Bytes(ctx, *f.Hash)
				return err
			})
			if kb.CodeOf(err) == kb.NotFound {
				continue // pruned: a newer version is there, which is committed by itself
			}
			if err != nil {
				return err
			}
			if c.New == nil {
				c.New = []byte{}
			}
		}
		changes = append(changes, c)
	}
	if len(changes) == 0 {
		return nil
	}
	head, err := g.tree.Head(ctx, g.repo)
	if err != nil {
		return err
	}
	_, err = g.tree.Commit(ctx, g.repo, g.commit(kb.Write{Time: h.Time, Actor: h.Actor, Operation: h.Operation, Message: h.Message}, head, changes))
	return err
}
