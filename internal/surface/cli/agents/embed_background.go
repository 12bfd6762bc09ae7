package agents

import (
	"context"
	"github.com/cairn-kb/cairn/internal/memory"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

const (
	// embedAhead is how many pages may wait to be embedded in the background.
	// Later ones stay in the memory for the next embedding run.
	embedAhead = 256
	// embedGroup is how many are embedded at once: no more are quick.
	embedGroup = 16
	// embedRest is how long nobody must have written to the memory before the next of
	// many writes is embedded, and embedRests how often that is waited for: each page
	// is five times the work of its write, and many processes may write at once.
	embedRest  = 100 * time.Millisecond
	embedRests = 100
)

// backgroundEmbedder embeds what a process writes while it goes on with other
// work.
type backgroundEmbedder struct {
	p    *command.Program
	refs chan []string
	last chan struct{} // closed after the last write
}

func newEmbedder(p *command.Program) *backgroundEmbedder {
	return &backgroundEmbedder{p, make(chan []string, embedAhead), make(chan struct{})}
}

// add takes note of a write.
func (b *backgroundEmbedder) add(w api.Written) {
	select {
	case b.refs <- w.Changed():
	default:
	}
}

// start begins to embed. The returned function must be called after the last
// write; it returns when the remaining work is done or ctx is.
func (b *backgroundEmbedder) start(ctx context.Context, m *memory.Lazy) (finish func()) {
	var work sync.WaitGroup
	work.Go(func() {
		var waiting []string
		rested := true // a write after a rest is embedded at once
		for more := true; more || len(waiting) > 0 && ctx.Err() == nil; {
			if more && len(waiting) == 0 {
				select {
				case refs := <-b.refs:
					waiting = append(waiting, refs...)
				case <-b.last:
				}
			}
			for tries := 0; tries < embedRests && !rested; tries++ {
				waiting, rested = b.rest(ctx, m, waiting)
			}
			if more = !b.ending(); !more {
				waiting = b.take(waiting)
			}
			n := min(len(waiting), embedGroup)
			b.embed(ctx, m, waiting[:n])
			if waiting = waiting[n:]; more && len(waiting) == 0 {
				waiting, rested = b.rest(ctx, m, waiting)
			}
		}
	})
	return func() {
		close(b.last)
		work.Wait()
	}
}

// rest waits a moment, adds to what waits what this process wrote meanwhile, and reports
// whether nobody wrote to the memory, this process or another. When no more is written it
// waits no longer.
func (b *backgroundEmbedder) rest(ctx context.Context, m *memory.Lazy, waiting []string) ([]string, bool) {
	a, err := m.Session(ctx, false)
	if err != nil {
		return b.take(waiting), true // the embedding run reports the error
	}
	before, err := a.Changed(ctx)
	select {
	case <-b.last:
		return b.take(waiting), true
	case <-b.p.Env.After(embedRest):
	}
	now, lost := a.Changed(ctx)
	n := len(waiting)
	waiting = b.take(waiting)
	return waiting, len(waiting) == n && (err != nil || lost != nil || now == before)
}

// ending reports whether no more is written.
func (b *backgroundEmbedder) ending() bool {
	select {
	case <-b.last:
		return true
	default:
		return false
	}
}

// take adds pages written meanwhile to the waiting ones.
func (b *backgroundEmbedder) take(waiting []string) []string {
	for {
		select {
		case refs := <-b.refs:
			if len(waiting)+len(refs) <= embedAhead {
				waiting = append(waiting, refs...)
			}
		default:
			return waiting
		}
	}
}

func (b *backgroundEmbedder) embed(ctx context.Context, m *memory.Lazy, refs []string) {
	a, err := m.Session(ctx, false)
	if err == nil {
		err = b.p.EmbedAfter(ctx, a, refs, false)
	}
	b.p.EmbedFailed(ctx, err)
}
