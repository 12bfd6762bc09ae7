package watch

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/files/vault"
)

// Options of a Watcher. All are needed.
type Options struct {
	Rules vault.Rules
	// After is time.After.
	After func(time.Duration) <-chan time.Time
	// Quiet is the time without a change that ends a burst of changes.
	Quiet time.Duration
	// Patience limits a burst to this many times Quiet; then changed is called even if the
	// burst goes on.
	Patience int
	// Poll is the time between two scans when events are not available.
	Poll time.Duration
}

// Mode is how a Watcher notices changes.
type Mode string

// The modes. The values are stable.
const (
	Starting Mode = "starting" // no watch is set up yet
	Events   Mode = "events"   // the system reports changes
	Polling  Mode = "polling"  // the directory is scanned periodically, until it is missing or Run ends
	Missing  Mode = "missing"  // the directory cannot be listed; this is checked periodically
)

// State is the current mode of a Watcher.
type State struct {
	Mode   Mode
	Reason string // why the mode is not Events, for people
	Dirs   int    // directories that are watched
}

// Watcher watches one directory.
type Watcher struct {
	root   string
	opts   Options
	notify func() (notifier, error)

	mu    sync.Mutex
	state State
}

// New returns a Watcher of the directory at an operating system path.
func New(root string, opts Options) *Watcher {
	return &Watcher{root: root, opts: opts, notify: systemNotifier, state: State{Mode: Starting}}
}

// State returns the current mode of the Watcher.
func (w *Watcher) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

func (w *Watcher) set(s State) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state = s
}

// Run watches until ctx is done. It calls changed once when the watch is set up, so that
// earlier changes are seen, and after every burst of changes. It returns when the last call
// has returned.
func (w *Watcher) Run(ctx context.Context, changed func(context.Context)) {
	r := &run{Watcher: w, changed: changed, done: make(chan struct{}, 1)}
	defer r.stop()
	r.refresh(ctx)
	r.due = r.State().Mode != Missing
	for {
		r.start(ctx)
		events, errs := r.channels()
		select {
		case <-ctx.Done():
			return
		case e, open := <-events:
			r.event(ctx, e, open)
		case _, open := <-errs:
			r.lost(open)
		case <-r.quiet:
			r.settle(ctx)
		case <-r.poll:
			r.look(ctx)
		case <-r.done:
			r.calling = false
		}
	}
}

// run is the state of one Run. Only its loop touches it.
type run struct {
	*Watcher
	changed func(context.Context)

	watched *watches     // nil when nothing is watched by events
	scanned []vault.File // result of the last scan, while polling
	poll    <-chan time.Time

	quiet   <-chan time.Time // nil outside a burst
	more    bool             // something happened since quiet was set
	rounds  int              // how often quiet was set in this burst
	stale   bool             // directories were added: they need watches
	rebuild bool             // directories or events were lost: the watches have to be rebuilt

	due     bool // changed is to be called
	calling bool
	done    chan struct{}
}

// start calls changed if it is due and not running already.
func (r *run) start(ctx context.Context) {
	if !r.due || r.calling || ctx.Err() != nil {
		return
	}
	r.due, r.calling = false, true
	go func() {
		r.changed(ctx)
		r.done <- struct{}{}
	}()
}

func (r *run) stop() {
	if r.calling {
		<-r.done
	}
	r.unwatch()
}

// touch records a change that a sync must see.
func (r *run) touch() {
	if r.quiet == nil {
		r.quiet, r.rounds = r.opts.After(r.opts.Quiet), 1
		return
	}
	r.more = true
}

// settle ends a burst, unless more happened meanwhile.
func (r *run) settle(ctx context.Context) {
	if r.more && r.rounds < r.opts.Patience {
		r.quiet, r.more = r.opts.After(r.opts.Quiet), false
		r.rounds++
		return
	}
	r.quiet, r.more = nil, false
	if r.rebuild {
		r.unwatch()
	}
	if r.stale || r.rebuild {
		r.refresh(ctx)
	}
	r.due = r.State().Mode != Missing
}

// look scans instead of waiting for events. If there are too many directories for events, it
// does not try again: the limit is shared with other programs.
func (r *run) look(ctx context.Context) {
	mode, before := r.State().Mode, r.scanned
	if mode == Polling && r.scan(ctx) == nil {
		r.poll = r.opts.After(r.opts.Poll)
		r.due = r.due || !slices.Equal(before, r.scanned)
		return
	}
	r.refresh(ctx)
	r.due = r.due || r.State().Mode != Missing
}
