package retrieve

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"

	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// A memory as it was takes seconds to make, and a client that asks about a time often asks
// about it again. These bound how many are kept.
const (
	pastsMax   = 2
	pastsBytes = 256 << 20
	pastsFor   = 10 * time.Minute // since the last question
)

// Pasts keeps memories as they were, for the next question about the same time.
// It is safe for concurrent use; the zero value is ready.
type Pasts struct {
	keys store.Kept // of the pages in the memory now

	mu     sync.Mutex
	all    []*made // those asked about last at the end
	closed bool
}

// made is a memory as it was. The fields after turn belong to its holder.
type made struct {
	key pastKey

	// Of Pasts.mu.
	users int
	asked time.Time // when the last question about it ended
	bytes int64
	gone  bool // it is to be closed with its last user

	turn chan struct{} // holds one token: a temporary memory is for one goroutine

	temp     store.Engine // nil until it is made
	index    *index.Index
	handles  *space.Handles
	values   memory.Values
	lost     map[string]int
	embedded string // the model of its vectors
}

// pastKey identifies the sources of a memory as it was. What others write later is in
// none of it; that versions are pruned, spaces renamed or their rules changed is.
type pastKey [sha256.Size]byte

// keyOfPast takes the spaces of then, as they are today, and of each
// document the version that was the newest then. Where one was recorded without
// a modification time, the document of today says it: mark then represents these.
// State has the versions if they had to be read, else it is nil.
func keyOfPast(ctx context.Context, sess *memory.Session, tx store.Tx, spaces []kb.Space, at time.Time, seq, mark int64) (key pastKey, state []kb.Version, err error) {
	h := sha256.New()
	for _, s := range spaces {
		if s.Created.After(at) {
			continue
		}
		s.Synced = time.Time{}
		fmt.Fprintf(h, "%+v\n", s)
	}
	// To read the versions takes as long as to answer.
	key, err = store.Keep(&memory.Keep[Pasts](sess).keys, mark, fmt.Sprintf("%d %x", seq, h.Sum(nil)), func() (key pastKey, err error) {
		state, err = tx.History().State(ctx, seq)
		undated := false
		for _, v := range state {
			undated = undated || v.ModTime.IsZero()
			fmt.Fprintln(h, v.Seq, v.Pruned)
		}
		if undated {
			fmt.Fprintln(h, mark)
		}
		h.Sum(key[:0])
		return key, err
	})
	return key, state, err
}

// take returns the memory that is kept under a key, or a place for it, when it is this
// caller's turn. The caller gives it back with leave.
func (p *Pasts) take(ctx context.Context, key pastKey) (*made, error) {
	for {
		m, err := p.turn(ctx, key)
		if err != nil {
			return nil, err
		}
		p.mu.Lock()
		gone := m.gone
		p.mu.Unlock()
		if !gone {
			return m, nil
		}
		// The holder before failed to make it.
		<-m.turn
		if err := p.end(m); err != nil {
			return nil, err
		}
	}
}

func (p *Pasts) turn(ctx context.Context, key pastKey) (*made, error) {
	p.mu.Lock()
	i := slices.IndexFunc(p.all, func(m *made) bool { return m.key == key && !m.gone })
	if i < 0 {
		p.all = append(p.all, &made{
			key: key, turn: make(chan struct{}, 1), index: index.OfPast(), handles: space.NewHandles(),
			lost: map[string]int{},
		})
		i = len(p.all) - 1
	}
	m := p.all[i]
	p.all = append(slices.Delete(p.all, i, i+1), m)
	m.users++
	p.mu.Unlock()
	select {
	case m.turn <- struct{}{}:
		return m, nil
	case <-ctx.Done():
		return nil, errors.Join(context.Cause(ctx), p.end(m))
	}
}

// leave gives back a memory that was taken. After a failure it is not kept.
func (p *Pasts) leave(m *made, now time.Time, bytes int64, failed bool) error {
	<-m.turn
	p.mu.Lock()
	m.asked, m.bytes, m.gone = now, bytes, m.gone || failed
	p.mu.Unlock()
	return errors.Join(p.end(m), p.Drop(now))
}

// end notes that a caller has no use for it any more.
func (p *Pasts) end(m *made) error {
	p.mu.Lock()
	m.users--
	p.mu.Unlock()
	return p.sweep()
}

// Drop closes those that nobody asked about for some time, and those beyond the limit.
func (p *Pasts) Drop(now time.Time) error {
	p.mu.Lock()
	n, bytes := 0, int64(0)
	for i := len(p.all) - 1; i >= 0; i-- {
		m := p.all[i]
		if m.users > 0 || m.gone {
			continue
		}
		age := now.Sub(m.asked)
		n, bytes = n+1, bytes+m.bytes
		m.gone = p.closed || n > pastsMax || bytes > pastsBytes || age < 0 || age >= pastsFor
	}
	p.mu.Unlock()
	return p.sweep()
}

// Close closes all, those in use when they are given back.
func (p *Pasts) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	return p.Drop(time.Time{})
}

// sweep closes those that were dropped and have no users.
func (p *Pasts) sweep() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	p.all = slices.DeleteFunc(p.all, func(m *made) bool {
		if !m.gone || m.users > 0 {
			return false
		}
		if m.temp != nil {
			err = errors.Join(err, m.temp.Close())
		}
		return true
	})
	return err
}
