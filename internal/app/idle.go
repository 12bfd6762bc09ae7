package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/store"
)

// idleBytes is what a process may allocate between two looks at it and still
// be idle: it asks the memory for changes, and is asked for its health. A
// question allocates more.
const idleBytes = 1 << 20

// quiet tells whether a process has become idle.
type quiet struct {
	mu     sync.Mutex
	seen   uint64 // bytes that the process had allocated at the last look
	rested bool   // since it last did something
}

// look takes what the process has allocated up to now, and reports whether it
// has just become idle.
func (q *quiet) look(allocated uint64) bool {
	idle := allocated-q.seen < idleBytes
	rest := idle && !q.rested
	q.seen, q.rested = allocated, idle
	return rest
}

// RestIfIdle is to be asked every few seconds by processes that wait most of
// the time. Where next to nothing was done since it was last asked, it gives
// memory back to the system that only makes the next question quicker, by some
// ten milliseconds: once, until something is done again.
func (a *App) RestIfIdle(ctx context.Context) {
	// What cannot be closed is nothing that a question needs.
	_ = a.pasts.Drop(a.opts.Now())
	a.quiet.mu.Lock()
	defer a.quiet.mu.Unlock()
	if a.quiet.look(allocated()) {
		a.kept.Drop()
		rest(ctx, a.db, a.embedding)
		a.quiet.seen = allocated()
	}
}

func rest(ctx context.Context, db store.Engine, emb *embedding.Engine) {
	emb.Rest()
	if r, ok := db.(store.Rester); ok {
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
