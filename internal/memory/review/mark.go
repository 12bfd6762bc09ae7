package review

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// key is the prefix of the settings with the marks, each followed by the person.
const key = "review/"

// mark is what a person has decided.
type mark struct {
	Seen      int64                  `json:"seen,omitempty"`
	SeenAt    time.Time              `json:"seen_at,omitzero"`
	Decided   map[int64]api.Decision `json:"decided,omitempty"`    // by the number of a change after Seen
	TakenBack map[int64]int64        `json:"taken_back,omitempty"` // likewise: the write that took the change back
	Dismissed map[string]string      `json:"dismissed,omitempty"`  // notes by item
}

// decisions are those in effect. That a change was taken back ends with the write that did it.
func (m mark) decisions(ctx context.Context, tx store.Tx) (map[int64]api.Decision, error) {
	out := map[int64]api.Decision{}
	maps.Copy(out, m.Decided)
	if len(m.TakenBack) == 0 {
		return out, nil
	}
	undone, err := history.Undone(ctx, tx)
	for seq, w := range m.TakenBack {
		if !undone[w] {
			out[seq] = api.TakenBack
		}
	}
	return out, err
}

func read(ctx context.Context, tx store.Tx, who kb.Actor) (m mark, err error) {
	text, err := tx.Settings().Get(ctx, key+who.String())
	if err != nil || text == "" {
		return m, err
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return mark{}, kb.Errorf(kb.Damaged, "the review of %s cannot be read: %w", who, err)
	}
	return m, nil
}

// alter changes the mark of the caller in one transaction.
func alter(ctx context.Context, sess *memory.Session, do func(store.Tx, *mark) error) (out api.Review, err error) {
	if err := space.PersonOnly(sess.Actor, "review", "review for a person"); err != nil {
		return out, err
	}
	err = sess.DB.Update(ctx, func(tx store.Tx) error {
		m, err := read(ctx, tx, sess.Actor)
		if err != nil {
			return err
		}
		if err := do(tx, &m); err != nil {
			return err
		}
		maps.DeleteFunc(m.Decided, func(seq int64, _ api.Decision) bool { return seq <= m.Seen })
		maps.DeleteFunc(m.TakenBack, func(seq, _ int64) bool { return seq <= m.Seen })
		text, err := json.Marshal(m)
		if err != nil {
			return err
		}
		if out, err = m.shown(ctx, tx); err != nil {
			return err
		}
		return tx.Settings().Set(ctx, key+sess.Actor.String(), string(text))
	})
	return out, err
}

func (m mark) shown(ctx context.Context, tx store.Tx) (api.Review, error) {
	decided, err := m.decisions(ctx, tx)
	out := api.Review{Seen: m.Seen, SeenAt: m.SeenAt, Decided: len(decided), Dismissed: map[string]string{}}
	maps.Copy(out.Dismissed, m.Dismissed)
	return out, err
}

// Read returns what the caller has decided.
func Read(ctx context.Context, sess *memory.Session) (out api.Review, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		m, err := read(ctx, tx, sess.Actor)
		if err != nil {
			return err
		}
		out, err = m.shown(ctx, tx)
		return err
	})
	return out, err
}

// Seen moves the caller's mark to a change. It never moves back.
func Seen(ctx context.Context, sess *memory.Session, through int64) (api.Review, error) {
	return alter(ctx, sess, func(tx store.Tx, m *mark) error {
		newest, err := tx.History().Seq(ctx, sess.Now().Add(24*time.Hour)) // a clock may have been set back
		if err != nil {
			return err
		}
		if through < 1 || through > newest {
			return kb.Errorf(kb.Usage, "there is no change %d; the newest is %d", through, newest)
		}
		if through > m.Seen {
			m.Seen, m.SeenAt = through, sess.Now().UTC().Truncate(time.Second)
		}
		return nil
	})
}

// Dismiss records that an item needs no attention, and why.
func Dismiss(ctx context.Context, sess *memory.Session, item, note string) (api.Review, error) {
	if item == "" || len(item) > 1000 || len(note) > 10_000 {
		return api.Review{}, kb.Errorf(kb.Usage, "an item has 1 to 1000 bytes, and a note at most 10,000")
	}
	return alter(ctx, sess, func(_ store.Tx, m *mark) error {
		if m.Dismissed == nil {
			m.Dismissed = map[string]string{}
		}
		m.Dismissed[item] = note
		return nil
	})
}

// Reopen takes back a dismissal.
func Reopen(ctx context.Context, sess *memory.Session, item string) (api.Review, error) {
	return alter(ctx, sess, func(_ store.Tx, m *mark) error {
		if _, ok := m.Dismissed[item]; !ok {
			return kb.Errorf(kb.NotFound, "%q was not dismissed", item)
		}
		delete(m.Dismissed, item)
		return nil
	})
}

// DecideRequest is about the writes of a session, or of one page in it.
type DecideRequest struct {
	Write, Last int64
	Ref         string
	Decision    api.Decision // "" takes a decision back
}

// Decide records a decision about changes.
func Decide(ctx context.Context, sess *memory.Session, req DecideRequest) (api.Review, error) {
	found, _, err := versions(ctx, sess, ChangeRequest{Write: req.Write, Last: req.Last, Ref: req.Ref})
	if err != nil {
		return api.Review{}, err
	}
	return alter(ctx, sess, func(_ store.Tx, m *mark) error {
		if m.Decided == nil {
			m.Decided = map[int64]api.Decision{}
		}
		for _, v := range found {
			delete(m.TakenBack, v.Seq)
			if req.Decision == "" {
				delete(m.Decided, v.Seq)
			} else {
				m.Decided[v.Seq] = req.Decision
			}
		}
		return nil
	})
}
