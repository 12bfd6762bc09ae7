package app

import (
	"context"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/store"
)

// asked keeps of a question that was answered what the policy of its space wants, once
// the answer is out. That it cannot be kept is a note at most.
func (a *App) asked(ctx context.Context, s *retrieve.Search, r api.SearchResult) {
	question, spaces, ok := s.Asked()
	if !ok || r.Confidence == nil || a.opts.ReadOnly {
		return
	}
	if db, ok := a.db.(store.Readable); ok && db.Unwritable() != nil {
		return
	}
	q := gap.Asked{Spaces: spaces, Question: question, Confidence: *r.Confidence}
	for _, s := range spaces {
		if len(r.Items) > 0 && s.Name == r.Items[0].Space {
			q.Best, q.In = r.Items[0].ID, s
		}
	}
	a.later.do(func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), laterWait)
		defer cancel()
		err := a.gaps.Asked(ctx, q)
		if err != nil {
			a.notices.Add("whether the question is a gap could not be noted: " + kb.AsError(err).Message)
		}
		return err
	})
}

// laterWait is how long one piece of work that nobody waits for may take: it is a
// short transaction, and longer than this only others' writes take.
const laterWait = time.Second

// laterMost is how much of it may wait; what comes then is let go.
const laterMost = 64

// later does what nobody waits for, one after the other.
type later struct {
	mu      sync.Mutex
	waiting []func() error
	running bool
	closed  bool
	done    sync.WaitGroup
}

// do has f done soon, unless too much waits already.
func (l *later) do(f func() error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.waiting) >= laterMost {
		return
	}
	l.waiting = append(l.waiting, f)
	if !l.running {
		l.running = true
		l.done.Go(l.run)
	}
}

func (l *later) run() {
	for f := l.next(nil); f != nil; {
		f = l.next(f())
	}
}

// next returns what is to be done next, nil for nothing. After a failure nobody who
// closes waits for the rest.
func (l *later) next(failed error) func() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed && failed != nil {
		l.waiting = nil
	}
	if len(l.waiting) == 0 {
		l.running = false
		return nil
	}
	f := l.waiting[0]
	l.waiting = l.waiting[1:]
	return f
}

// close waits for what is to be done, and takes no more.
func (l *later) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.done.Wait()
}
