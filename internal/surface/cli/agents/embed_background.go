package agents

import (
	"context"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
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
	// backlogRest is how long nothing must have been written before pages that others
	// wrote are embedded, lookForBacklog how often such pages are looked for, and
	// backlogBudget how long one run of it takes.
	backlogRest    = time.Second
	lookForBacklog = time.Minute
	backlogBudget  = 2 * time.Second
)

// backgroundEmbedder embeds what a process writes while it goes on with other
// work.
type backgroundEmbedder struct {
	p    *command.Program
	refs chan []string
	last chan struct{} // closed after the last write
	// backlog says to embed what others wrote, too, while nobody asks.
	backlog bool
}

func newEmbedder(p *command.Program, backlog bool) *backgroundEmbedder {
	return &backgroundEmbedder{p, make(chan []string, embedAhead), make(chan struct{}), backlog}
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
		behind := true // pages may wait that other programs wrote
		for more := true; more || len(waiting) > 0 && ctx.Err() == nil; {
			if more && len(waiting) == 0 {
				var look <-chan time.Time
				switch {
				case b.backlog && behind:
					look = b.p.Env.After(backlogRest)
				case b.backlog:
					look = b.p.Env.After(lookForBacklog)
				}
				select {
				case refs := <-b.refs:
					waiting = append(waiting, refs...)
				case <-b.last:
				case <-look:
					behind = b.catchUp(ctx, m)
					continue
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

// catchUp embeds some of the pages that wait, whoever wrote them, as long as nobody asks or
// writes. It reports whether more wait; another process that embeds does the rest.
func (b *backgroundEmbedder) catchUp(ctx context.Context, m *memory.Lazy) (more bool) {
	if on, err := b.p.Embeds(); !on || err != nil {
		return false // as serve does; searches report an error of the settings
	}
	a, err := m.Session(ctx, false)
	if err != nil || !a.Writable() {
		return false
	}
	_, before := a.Asked()
	yield := func() bool {
		now, ever := a.Asked()
		return now || ever != before || len(b.refs) > 0 || b.ending()
	}
	r, err := embedding.Embed(ctx, a, embedding.Request{All: true, Budget: backlogBudget, Yield: yield})
	return err == nil && r.Left > 0 && !r.Busy // searches report an error of the model
}

func (b *backgroundEmbedder) embed(ctx context.Context, m *memory.Lazy, refs []string) {
	a, err := m.Session(ctx, false)
	if err == nil {
		err = b.p.EmbedAfter(ctx, a, refs, false)
	}
	b.p.EmbedFailed(ctx, err)
}
