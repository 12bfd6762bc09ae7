package memory

import "sync/atomic"

// requests counts what callers of this process wait for.
type requests struct{ now, ever atomic.Int64 }

// Begin notes that somebody waits for an answer, until end is called.
func (s *Session) Begin() (end func()) {
	r := &s.memory.requests
	r.now.Add(1)
	r.ever.Add(1)
	return func() { r.now.Add(-1) }
}

// Asked reports whether somebody of this process waits for an answer, and how many
// ever did.
func (s *Session) Asked() (now bool, ever int64) {
	return s.memory.requests.now.Load() > 0, s.memory.requests.ever.Load()
}
