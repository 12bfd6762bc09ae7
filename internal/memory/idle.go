package memory

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/store"
)

// idleBytes is what a process may allocate between two looks at it and still
// be idle: it asks the memory for changes, and is asked for its health. A
// question allocates more.
const idleBytes = 1 << 20

// idle tells whether a process has become idle.
type idle struct {
	mu     sync.Mutex
	seen   uint64 // bytes that the process had allocated at the last look
	rested bool   // since it last did something
}

// look takes what the process has allocated up to now, and reports whether it
// has just become idle.
func (q *idle) look(allocated uint64) bool {
	still := allocated-q.seen < idleBytes
	rest := still && !q.rested
	q.seen, q.rested = allocated, still
	return rest
}

// RestIfIdle is to be asked every few seconds by processes that wait most of
// the time. Where next to nothing was done since it was last asked, it gives
// memory back to the system that only makes the next question quicker, by some
// ten milliseconds: once, until something is done again.
func (s *Session) RestIfIdle(ctx context.Context) {
	m := s.memory
	now := s.Now()
	for _, v := range m.values.list() {
		if d, ok := v.(interface{ Drop(time.Time) error }); ok {
			_ = d.Drop(now) // what cannot be closed is nothing that a question needs
		}
	}
	m.idle.mu.Lock()
	defer m.idle.mu.Unlock()
	if m.idle.look(allocated()) {
		s.Kept.Drop()
		s.Rest(ctx)
		m.idle.seen = allocated()
	}
}

// Rest gives memory back to the system, idle or not.
func (s *Session) Rest(ctx context.Context) {
	for _, v := range s.memory.values.list() {
		if r, ok := v.(interface{ Rest() }); ok {
			r.Rest()
		}
	}
	if r, ok := s.DB.(store.Rester); ok {
		r.Rest(ctx)
	}
	debug.FreeOSMemory()
}

// allocated returns how many bytes this process has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
