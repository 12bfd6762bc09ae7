package server

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/files/watch"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/sessions"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

const (
	// lookEvery is how soon a space that another process added is noticed.
	lookEvery = time.Second
	// quiet is what editors need between the steps of one save.
	quiet = 100 * time.Millisecond
	// burst is how long files that change all the time are waited for, so that a long
	// checkout becomes searchable while it goes on.
	burst = 2 * time.Second
	// growing is how long transcripts that grow all the time are waited for, so that a session
	// is searchable within a second.
	growing = 500 * time.Millisecond
	// scanEvery is how often a directory is scanned for which the system has no
	// events: a scan of 10,000 notes takes some 50 ms.
	scanEvery = 5 * time.Second
	// wholeEvery is how often a directory is compared though nothing was heard
	// of it, should an event have been lost.
	wholeEvery = 15 * time.Minute
	// restEvery is how often to ask whether nothing happens, so that memory can
	// be given back.
	restEvery = 10 * time.Second
	// retryEvery is the delay before retrying failed work: an unmounted disk, a
	// busy writer.
	retryEvery = 30 * time.Second
	// endWithin is how long a stopping server waits to report its end.
	endWithin = time.Second
)

// Options of a server. All but Quiet are needed.
type Options struct {
	// Embed says whether to make pages searchable by meaning.
	Embed bool
	// Quiet is how long a directory must rest before it is read; 0 is what editors need
	// between the steps of one save.
	Quiet time.Duration
	// After is time.After.
	After func(time.Duration) <-chan time.Time
	// Report receives one Event at a time.
	Report func(Event)
}

// Server keeps one memory up to date.
type Server struct {
	app  *memory.Session
	opts Options
	work sync.WaitGroup
	wake chan struct{} // there may be something to embed

	mu     sync.Mutex
	faults map[fault]string // current problems, as reported
}

// New returns a Server that does nothing yet.
func New(a *memory.Session, opts Options) *Server {
	opts.Quiet = cmp.Or(opts.Quiet, quiet)
	return &Server{app: a, opts: opts, wake: make(chan struct{}, 1), faults: map[fault]string{}}
}

// watched records a watched space, to detect that it changed.
type watched struct {
	id         kb.ID
	name, root string
	more       string // the other directories in which what it shows is written
}

// keeper is a space that is watched.
type keeper struct {
	stop    context.CancelFunc
	watcher *watch.Watcher
	mode    watch.Mode // as it was reported
}

// Run serves until ctx is done, and then waits for running work.
func (s *Server) Run(ctx context.Context) {
	reporter := freshness.Serve(s.app)
	defer func() {
		s.work.Wait()
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
		defer stop()
		s.outcome(ctx, fault{part: Memory}, reporter.End(ctx))
	}()
	if s.opts.Embed {
		s.work.Go(func() { s.embed(ctx) })
	}
	s.work.Go(func() { s.every(ctx, dueEvery, s.maintain) })
	s.work.Go(func() { s.every(ctx, restEvery, s.app.RestIfIdle) })
	keepers := map[watched]*keeper{}
	seen, known := int64(0), false
	for {
		n, err := s.app.Heard(ctx)
		if err == nil && (!known || n != seen) {
			nudge(s.wake)
			if err = s.follow(ctx, keepers); err == nil {
				seen, known = n, true
			}
		}
		if err == nil {
			err = reporter.Report(ctx)
		}
		s.outcome(ctx, fault{part: Memory}, err)
		for sp, k := range keepers {
			s.mode(sp, k)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.opts.After(lookEvery):
		}
	}
}

// every calls do again and again, until ctx is done.
func (s *Server) every(ctx context.Context, d time.Duration, do func(context.Context)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.opts.After(d):
			do(ctx)
		}
	}
}

// follow makes the keepers those of the spaces that there are.
func (s *Server) follow(ctx context.Context, keepers map[watched]*keeper) error {
	all, err := s.app.Spaces.Directories(ctx)
	if err != nil {
		return err
	}
	now := map[watched][]sessions.Folder{}
	for _, d := range all {
		more := sessions.Watched(s.app.Place, d)
		now[watched{d.ID, d.Name, d.Root, fmt.Sprint(more)}] = more
	}
	for sp, k := range keepers {
		if _, is := now[sp]; !is {
			k.stop()
			delete(keepers, sp)
			s.forget(sp.name)
		}
	}
	for sp, more := range now {
		if keepers[sp] == nil {
			keepers[sp] = s.keep(ctx, sp, more)
		}
	}
	return nil
}

// keep begins to sync a space whenever its directory changes, or one of the others.
func (s *Server) keep(ctx context.Context, sp watched, more []sessions.Folder) *keeper {
	ctx, stop := context.WithCancel(ctx)
	k := &keeper{stop: stop, mode: watch.Starting, watcher: watch.New(sp.root, watch.Options{
		Rules: s.app.Rules(), After: s.opts.After, Quiet: s.opts.Quiet, Patience: max(1, int(burst/s.opts.Quiet)), Poll: scanEvery,
	})}
	changed := make(chan struct{}, 1)
	s.work.Go(func() { k.watcher.Run(ctx, func(context.Context) { nudge(changed) }) })
	for _, f := range more {
		w := watch.New(f.Dir, watch.Options{
			Rules: vault.Rules{Extensions: []string{".jsonl", ".json", ".db", ".db-wal"}, MaxBytes: 1 << 40, Depth: f.Depth}, After: s.opts.After, Quiet: s.opts.Quiet,
			Patience: max(1, int(growing/s.opts.Quiet)), Poll: scanEvery,
		})
		s.work.Go(func() { w.Run(ctx, func(context.Context) { nudge(changed) }) })
	}
	s.work.Go(func() {
		timer := s.opts.After(wholeEvery)
		for {
			select {
			case <-ctx.Done():
				return
			case <-changed:
			case <-timer:
			}
			wait := wholeEvery
			if !s.sync(ctx, sp) {
				wait = retryEvery
			}
			timer = s.opts.After(wait)
		}
	})
	return k
}

// sync brings the changes of a space into the memory, and reports whether it
// could.
func (s *Server) sync(ctx context.Context, sp watched) bool {
	reports, err := gitsync.Sync(ctx, s.app, gitsync.SyncRequest{Space: sp.name})
	s.outcome(ctx, fault{part: Directory, space: sp.name}, err)
	if err != nil {
		return false
	}
	for _, r := range reports {
		if r.Changes()+len(r.Failed) > 0 {
			s.say(Event{Kind: Synced, Space: sp.name, Sync: &r})
		}
	}
	return true
}

// nudge makes sure that the receiver does another round.
func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // one is on its way already
	}
}
