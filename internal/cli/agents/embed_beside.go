package agents

import (
	"context"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/cli/command"
)

const (
	// embedAhead is how many pages may wait to be embedded beside other work. Later
	// ones wait in the memory, for whoever embeds next.
	embedAhead = 256
	// embedGroup is how many are embedded at once: no more are quick.
	embedGroup = 16
	// embedRest is how long nobody must have written to the memory before what was
	// written is embedded, and embedRests how often that is waited for: each page is
	// five times the work of its write, and many processes may write at once.
	embedRest  = 100 * time.Millisecond
	embedRests = 100
)

// besideEmbedder embeds what a process writes while it goes on with other
// work.
type besideEmbedder struct {
	p    *command.Program
	refs chan []string
	last chan struct{} // closed after the last write
}

func newEmbedder(p *command.Program) *besideEmbedder {
	return &besideEmbedder{p, make(chan []string, embedAhead), make(chan struct{})}
}

// add takes note of a write.
func (b *besideEmbedder) add(w app.Written) {
	select {
	case b.refs <- w.Changed():
	default:
	}
}

// start begins to embed. The function that it returns is called after the last
// write, and returns when what is left of the work is done, or ctx is.
func (b *besideEmbedder) start(ctx context.Context, m *app.Lazy) (finish func()) {
	var work sync.WaitGroup
	work.Go(func() {
		var waiting []string
		for more := true; more || len(waiting) > 0 && ctx.Err() == nil; {
			if more && len(waiting) == 0 {
				select {
				case refs := <-b.refs:
					waiting = append(waiting, refs...)
				case <-b.last:
				}
			}
			for tries, before := 0, -1; tries < embedRests && len(waiting) != before; tries++ {
				if before = len(waiting); b.written(ctx, m) {
					before = -1
				}
				waiting = b.take(waiting)
			}
			more = !b.ending()
			n := min(len(waiting), embedGroup)
			b.embed(ctx, m, waiting[:n])
			waiting = waiting[n:]
		}
	})
	return func() {
		close(b.last)
		work.Wait()
	}
}

// written waits a moment, and reports whether anybody wrote to the memory
// meanwhile, this process or another. When no more is written it is false at once.
func (b *besideEmbedder) written(ctx context.Context, m *app.Lazy) bool {
	a, err := m.App(ctx, false)
	if err != nil {
		return false // embedding says what is wrong
	}
	before, err := a.Changed(ctx)
	select {
	case <-b.last:
		return false
	case <-b.p.Env.After(embedRest):
	}
	now, lost := a.Changed(ctx)
	return err == nil && lost == nil && now != before
}

// ending reports whether no more is written.
func (b *besideEmbedder) ending() bool {
	select {
	case <-b.last:
		return true
	default:
		return false
	}
}

// take adds what was written meanwhile to what waits.
func (b *besideEmbedder) take(waiting []string) []string {
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

func (b *besideEmbedder) embed(ctx context.Context, m *app.Lazy, refs []string) {
	a, err := m.App(ctx, false)
	if err == nil {
		err = b.p.EmbedAfter(ctx, a, refs, false)
	}
	b.p.EmbedFailed(ctx, err)
}
