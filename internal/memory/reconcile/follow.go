package reconcile

import (
	"context"
	"errors"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/files/watch"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

const (
	// wholeEvery is how often a directory is listed even if its queue reports no
	// changes: this finds changes that no queue reports (see package watch), and
	// retries a queue that could not be created.
	wholeEvery = 10 * time.Minute
	// sharePatience is how long a question waits for another one that is syncing
	// the same directory: listing 100,000 files takes half of it, and a first sync
	// takes longer.
	sharePatience = time.Second
)

// Follower syncs directories for questions in a long-lived process: it watches the
// directories of past questions, and lists a directory again only when necessary.
// Concurrent questions share one listing of a directory.
type Follower struct {
	syncer *Syncer

	mu     sync.Mutex
	spaces map[kb.ID]*followed
}

// NewFollower returns a Follower without watches.
func NewFollower(s *Syncer) *Follower {
	return &Follower{syncer: s, spaces: map[kb.ID]*followed{}}
}

// followed is one directory. The fields after turn belong to the holder of the
// turn.
type followed struct {
	turn chan struct{} // holds one token

	mu    sync.Mutex
	state Following
	begun int // number of listings started

	space  *write.Space // as listed; another space value is listed again
	queue  *watch.Queue
	tried  time.Time // last attempt to create a queue
	listed time.Time // start of the last listing
	clean  bool      // the index agrees except for files in the queue
	shared int       // number of the listing that last came from
	last   *Report   // failures of that listing
	found  *Report   // result of Look while the queue is empty; nil if a listing is needed
}

// Following describes how a directory is followed.
type Following struct {
	Watched bool   // the system reports changes; otherwise it is listed before each answer
	Dirs    int    // number of watched directories
	Reason  string // reason for not watching, for people; "" before the first question
}

// State describes how a space is followed.
func (f *Follower) State(id kb.ID) Following {
	t := f.of(id)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// Close stops watching. No Sync may be running.
func (f *Follower) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	for _, t := range f.spaces {
		err = errors.Join(err, t.unwatch())
	}
	clear(f.spaces)
	return err
}

func (f *Follower) of(id kb.ID) *followed {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.spaces[id]
	if t == nil {
		t = &followed{turn: make(chan struct{}, 1)}
		f.spaces[id] = t
	}
	return t
}

// Sync syncs the index with the directory of a space as of the call, like
// Syncer.Sync with Options.ToRead. The report covers its own work: it is empty if
// another call did the work.
func (f *Follower) Sync(ctx context.Context, space *write.Space, opts Options) (*Report, error) {
	store.Part(ctx, f.syncer.Writer.Memory) // another call may do the work while this one waits
	t := f.of(space.ID)
	before := t.listings()
	if err := t.enter(ctx); err != nil {
		return nil, err
	}
	defer t.leave()
	now := f.syncer.Writer.Now()
	t.age(space, now)
	switch {
	case t.space == space && t.shared > before:
		// A listing that began after the call includes everything that existed at
		// the call.
		return t.last, nil
	case t.clean && t.queue != nil:
		if r, err := f.taken(ctx, t, opts); r != nil || err != nil {
			return r, err
		}
	}
	return f.list(ctx, t, space, opts, now)
}

// Look reports what a sync would do, like Syncer.Sync with Options.DryRun and
// Options.ToRead. If a listing found nothing to do and nothing happened since,
// it reports that listing, without its files.
func (f *Follower) Look(ctx context.Context, space *write.Space) (*Report, error) {
	store.Part(ctx, f.syncer.Writer.Memory)
	opts := Options{DryRun: true, ToRead: true}
	t := f.of(space.ID)
	switch err := t.enter(ctx); {
	case errors.Is(err, store.ErrBusy):
		return f.syncer.Sync(ctx, space, opts)
	case err != nil:
		return nil, err
	}
	defer t.leave()
	now := f.syncer.Writer.Now()
	t.age(space, now)
	if t.found != nil && t.queue != nil {
		if got := t.queue.Take(ctx); !got.Whole && !got.Beside && len(got.Paths) == 0 {
			return t.found, nil
		}
	}
	return f.list(ctx, t, space, opts, now)
}

// age drops state of another directory, or state that is too old.
func (t *followed) age(space *write.Space, now time.Time) {
	if age := now.Sub(t.listed); t.space != space || age < 0 || age >= wholeEvery {
		t.clean, t.found = false, nil
	}
}

// taken applies the entries of the queue to the index. A nil report means that the
// directory has to be listed.
func (f *Follower) taken(ctx context.Context, t *followed, opts Options) (*Report, error) {
	got := t.queue.Take(ctx)
	if got.Beside {
		t.found = nil
	}
	if !got.Whole && len(got.Paths) == 0 {
		return t.last, nil
	}
	t.clean = false // entries taken are not in a queue any more
	if got.Whole || t.failed(got.Paths) {
		return nil, nil
	}
	changed, ok, err := f.refresh(ctx, t, got.Paths)
	if err != nil || !ok {
		return nil, err
	}
	t.clean = true
	r := *t.last
	r.Plan = &Plan{Changed: changed, LeftOut: t.last.Plan.LeftOut}
	r.Indexed = len(changed)
	return &r, nil
}

// refresh indexes files that are in the index already. ok is false if more work is
// needed: for added or removed files, or an unfinished write.
func (f *Follower) refresh(ctx context.Context, t *followed, paths []string) (changed []string, ok bool, err error) {
	space := t.space
	slices.Sort(paths)
	known := make([]write.Known, len(paths))
	there := make([]bool, len(paths))
	w := f.syncer.Writer
	err = w.Memory.View(ctx, func(tx store.Tx) error {
		pending, err := tx.Journal().Pending(ctx)
		if err != nil || len(pending) > 0 {
			return err
		}
		for i, p := range paths {
			row, err := tx.Documents().ByPath(ctx, space.Row, p)
			switch {
			case err == nil:
				known[i], there[i] = write.Known{Text: row.Hash, SidecarHash: row.Side.Hash}, true
			case kb.CodeOf(err) != kb.NotFound:
				return err
			}
		}
		ok = true
		return nil
	})
	if err != nil || !ok {
		return nil, false, err
	}
	for i, p := range paths {
		info, err := space.Files.Lstat(p)
		exists := err == nil && info.Mode().IsRegular()
		switch {
		case exists != there[i]:
			return nil, false, nil
		case !exists:
			t.found = nil // unless the file came and went, and a listing skips it
			continue
		}
		found, err := w.RefreshIfChanged(ctx, space, p, known[i], store.ReadPatience)
		switch {
		case ctx.Err() != nil:
			return nil, false, context.Cause(ctx)
		case err != nil || found == write.FileNewer || found == write.FileUnmerged:
			return nil, false, nil // a sync reports the problem
		case found == write.FileChanged:
			changed = append(changed, p)
		}
	}
	return changed, true, nil
}

// list lists the directory, with a watch if possible, and syncs it with the index.
func (f *Follower) list(ctx context.Context, t *followed, space *write.Space, opts Options, now time.Time) (*Report, error) {
	agreed := t.clean
	t.clean, t.found = false, nil
	if t.space != space && t.queue != nil {
		if err := t.unwatch(); err != nil {
			return nil, err
		}
		t.tried = time.Time{}
	}
	t.space = space
	if age := now.Sub(t.tried); t.queue == nil && (t.tried.IsZero() || age < 0 || age >= wholeEvery) {
		t.tried = now
		t.watch(f.syncer.Rules)
	}
	if t.queue != nil {
		t.queue.Take(ctx) // the listing finds it
		opts.files = t.queue.Tree(space.Files)
	}
	number := 0 // questions cannot use a listing that changes nothing
	if !opts.DryRun {
		number = t.begin()
	}
	r, err := f.syncer.Sync(ctx, space, opts)
	if err != nil {
		return r, err
	}
	if t.queue != nil {
		if why := t.queue.Err(); why != nil {
			if err := t.unwatch(); err != nil {
				return r, err
			}
			t.say(why)
		} else {
			t.setFollowing(Following{Watched: true, Dirs: t.queue.Dirs()})
		}
	}
	t.listed = now
	if settled(r) && (!opts.DryRun || r.Plan.Changes() == 0) && !slices.ContainsFunc(r.Listing.Temps, unwatched) {
		l := vault.Listing{Skipped: r.Listing.Skipped, Sidecars: r.Listing.Sidecars, Temps: r.Listing.Temps}
		t.found = &Report{Plan: &Plan{LeftOut: r.Plan.LeftOut}, Listing: &l, Notes: r.Notes, Failed: r.Failed, DryRun: true}
	}
	if opts.DryRun {
		t.clean = agreed && t.found != nil
		return r, nil
	}
	t.clean, t.shared = settled(r), number
	t.last = &Report{Plan: &Plan{LeftOut: r.Plan.LeftOut}, Listing: &vault.Listing{}, Failed: r.Failed}
	return r, nil
}

// settled reports whether the next sync would find no changes without new events:
// no file is to be retried, and no file may be hidden in an unlisted place.
func settled(r *Report) bool {
	return r.Listing.Whole() && !slices.ContainsFunc(r.Failed, func(x store.Failure) bool { return x.Count > 0 })
}

// unwatched reports whether a temporary file is in a place without a queue to
// report its removal.
func unwatched(temp string) bool {
	dir := path.Dir(temp)
	return dir != "." && vault.Hidden(dir)
}

// failed reports whether one of the paths could not be read before.
func (t *followed) failed(paths []string) bool {
	bad := func(x store.Failure) bool { return slices.Contains(paths, x.Path) }
	return slices.ContainsFunc(t.last.Failed, bad) || slices.ContainsFunc(t.last.Plan.LeftOut, bad)
}

func (t *followed) watch(rules vault.Rules) {
	q, err := watch.Open(t.space.Root, t.space.Files, rules)
	if err != nil {
		t.say(err)
		return
	}
	t.queue = q
}

func (t *followed) unwatch() error {
	if t.queue == nil {
		return nil
	}
	err := t.queue.Close()
	t.queue = nil
	return fsys.Explain(err, "end the watching of a directory")
}

// say records why the directory is listed before each answer.
func (t *followed) say(err error) {
	why := err.Error()
	if u := (*watch.Unsupported)(nil); errors.As(err, &u) {
		why = u.Reason
	}
	t.setFollowing(Following{Reason: why})
}

func (t *followed) setFollowing(s Following) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state = s
}

func (t *followed) listings() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.begun
}

func (t *followed) begin() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun++
	return t.begun
}

// enter waits for the turn. A caller that waits too long gets store.ErrBusy,
// and answers from the index.
func (t *followed) enter(ctx context.Context) error {
	select {
	case t.turn <- struct{}{}:
		return nil
	default:
	}
	wait, cancel := context.WithTimeoutCause(ctx, sharePatience, store.ErrBusy)
	defer cancel()
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-wait.Done():
		return context.Cause(wait)
	}
}

func (t *followed) leave() { <-t.turn }
