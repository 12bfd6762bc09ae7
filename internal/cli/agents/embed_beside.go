package agents

import (
	"context"
	"sync"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/cli/command"
)

// embedAhead is how many writes may wait to be embedded beside other work.
// Later ones wait in the memory, for whoever embeds next.
const embedAhead = 64

// besideEmbedder embeds what a process writes while it goes on with other
// work.
type besideEmbedder struct {
	p    *command.Program
	refs chan []string
}

func newEmbedder(p *command.Program) *besideEmbedder {
	return &besideEmbedder{p, make(chan []string, embedAhead)}
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
	last := make(chan struct{})
	work.Go(func() {
		for {
			select {
			case refs := <-b.refs:
				b.embed(ctx, m, refs)
			case <-last:
				for len(b.refs) > 0 && ctx.Err() == nil {
					b.embed(ctx, m, <-b.refs)
				}
				return
			}
		}
	})
	return func() {
		close(last)
		work.Wait()
	}
}

func (b *besideEmbedder) embed(ctx context.Context, m *app.Lazy, refs []string) {
	a, err := m.App(ctx, false)
	if err == nil {
		err = b.p.EmbedAfter(ctx, a, refs, false)
	}
	b.p.EmbedFailed(ctx, err)
}
