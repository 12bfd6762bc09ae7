package app

import "sync/atomic"

// requests counts what callers of this process wait for.
type requests struct{ now, ever atomic.Int64 }

// Begin notes that somebody waits for an answer, until end is called.
func (a *App) Begin() (end func()) {
	r := &a.requests
	r.now.Add(1)
	r.ever.Add(1)
	return func() { r.now.Add(-1) }
}

// Asked reports whether somebody of this process waits for an answer, and how many
// ever did.
func (a *App) Asked() (now bool, ever int64) {
	return a.requests.now.Load() > 0, a.requests.ever.Load()
}
