package command

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
)

// Embeds reports whether commands embed pages on their way.
func (p *Program) Embeds() (bool, error) {
	value, err := p.Setting("embed")
	return value == "auto", err
}

// EmbedWritten embeds what a write changed, after its
// answer was printed.
func (p *Program) EmbedWritten(ctx context.Context, a *memory.Session, w api.Written, wait bool) error {
	return p.EmbedAfter(ctx, a, w.Changed(), wait)
}

// EmbedSynced is EmbedWritten for what syncs read.
func (p *Program) EmbedSynced(ctx context.Context, a *memory.Session, reports []api.SyncReport, wait bool) error {
	var refs []string
	for _, r := range reports {
		if r.DryRun {
			continue
		}
		if wait {
			// Also the pages that earlier syncs left: with --wait the caller wants
			// to search all.
			if err := p.embedWaited(ctx, a.In(r.Space), embedding.Request{}); err != nil {
				return err
			}
			continue
		}
		for _, path := range append(r.Added, r.Changed...) {
			refs = append(refs, r.Space+":"+path)
		}
	}
	return p.EmbedAfter(ctx, a, refs, false)
}

// EmbedAfter embeds pages that were written: all of them with wait, otherwise
// only when that is quick. Then nothing that goes wrong fails the command,
// since its work is done and the pages wait to be embedded like any others.
func (p *Program) EmbedAfter(ctx context.Context, a *memory.Session, refs []string, wait bool) error {
	if len(refs) == 0 {
		return nil
	}
	if wait {
		return p.embedWaited(ctx, a, embedding.Request{Refs: refs})
	}
	ok, err := p.Embeds()
	if ok && err == nil {
		err = p.embedSoon(ctx, a, refs)
	}
	p.EmbedFailed(ctx, err)
	return nil
}

// embedWaited embeds while the caller waits, and reports the pages that
// semantic search does not cover.
func (p *Program) embedWaited(ctx context.Context, a *memory.Session, req embedding.Request) error {
	r, err := p.EmbedPages(ctx, a, req, false)
	for _, n := range r.Notes {
		p.Note("note: %s", n)
	}
	return notYet(ctx, err)
}

// notYet adds to an embedding error that the work before it is done.
func notYet(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	e := *kb.AsError(err)
	e.Message = "the pages are saved, but not embedded yet: " + e.Message
	return &e
}

// EmbedAtOnce is Env.EmbedAtOnce with its default.
func (p *Program) EmbedAtOnce() time.Duration { return cmp.Or(p.Env.EmbedAtOnce, 2*time.Second) }

// soon is how long embedding after a write may take on a slow machine before
// it is given up.
const soon = 300 * time.Millisecond

func (p *Program) embedSoon(ctx context.Context, a *memory.Session, refs []string) error {
	short, cancel := context.WithCancel(ctx)
	var timer sync.WaitGroup
	timer.Go(func() {
		select {
		case <-p.Env.After(soon):
			cancel()
		case <-short.Done():
		}
	})
	_, err := embedding.EmbedSoon(short, a, refs)
	late := short.Err() != nil && ctx.Err() == nil
	cancel()
	timer.Wait()
	if late {
		return nil // the pages wait
	}
	return err
}

// EmbedFailed says that embedding on the way failed, which fails no command.
func (p *Program) EmbedFailed(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		e := kb.AsError(err)
		p.Note("warning: not embedded yet: %s%s", e.Error(), Optional("; ", HintOf(e)))
	}
}

// EmbedPages embeds with progress shown, synced or as the index is.
func (p *Program) EmbedPages(ctx context.Context, a *memory.Session, req embedding.Request, synced bool) (api.EmbedReport, error) {
	bar := p.Progress()
	defer bar.Stop()
	req.Progress = func(phase string, done, total int) { bar.Report("", phase, done, total) }
	req.Work = bar.Work
	if synced {
		return embedding.EmbedSynced(ctx, a, req, bar.Report)
	}
	return embedding.Embed(ctx, a, req)
}
