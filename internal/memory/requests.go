package memory

import "sync/atomic"

// requests counts the pending requests of this process.
type requests struct{ now, ever atomic.Int64 }

// Begin records a pending request, until end is called.
func (s *Session) Begin() (end func()) {
	r := &s.memory.requests
	r.now.Add(1)
	r.ever.Add(1)
	return func() { r.now.Add(-1) }
}

// Asked reports whether any request of this process is pending, and how many there
// ever were.
func (s *Session) Asked() (now bool, ever int64) {
	return s.memory.requests.now.Load() > 0, s.memory.requests.ever.Load()
}
