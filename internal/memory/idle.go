package memory

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/store"
)

// idleBytes is how much a process may allocate between two checks and still count
// as idle: it polls the memory for changes, and answers health checks. A question
// allocates more.
const idleBytes = 1 << 20

// idle detects that a process has become idle.
type idle struct {
	mu     sync.Mutex
	seen   uint64 // bytes allocated by the process at the last check
	rested bool   // memory was released since the last activity
}

// look takes the number of bytes allocated so far, and reports whether the process
// has just become idle.
func (q *idle) look(allocated uint64) bool {
	still := allocated-q.seen < idleBytes
	rest := still && !q.rested
	q.seen, q.rested = allocated, still
	return rest
}

// RestIfIdle should be called every few seconds by processes that mostly wait. If
// there was almost no activity since the last call, it releases memory that only
// makes the next question faster, by some ten milliseconds. It does so once, until
// there is new activity.
func (s *Session) RestIfIdle(ctx context.Context) {
	m := s.memory
	now := s.Now()
	for _, v := range m.values.list() {
		if d, ok := v.(interface{ Drop(time.Time) error }); ok {
			_ = d.Drop(now) // a failure to close them does not affect questions
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

// Rest releases memory to the system, idle or not.
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

// allocated returns the total number of bytes that this process has allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
