package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
)

// watchedDir is a directory that is watched. What a sync would see at each call is
// sent to seen; a test waits for the state that it made.
type watchedDir struct {
	t     *testing.T
	ctx   context.Context
	root  string
	w     *Watcher
	seen  chan []string
	calls int
}

var watchRules = vault.Rules{Extensions: []string{".md"}}

func newWatchedDir(t *testing.T) *watchedDir {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &watchedDir{t: t, ctx: ctx, root: root, seen: make(chan []string, 100_000)}
	b.w = New(b.root, Options{
		Rules: watchRules, After: time.After, Quiet: 5 * time.Millisecond, Patience: 20, Poll: 5 * time.Millisecond,
	})
	return b
}

// run starts watching and stops at the end of the test.
func (b *watchedDir) run() {
	b.t.Helper()
	ctx, stop := context.WithCancel(b.ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		b.w.Run(ctx, func(ctx context.Context) {
			tree, err := fsys.OpenDir(b.root)
			if err != nil {
				return // gone again; a later call sees what becomes of it
			}
			list, err := vault.Scan(ctx, tree, watchRules)
			if err := errors.Join(err, tree.Close()); err != nil {
				return
			}
			var names []string
			for _, f := range list.Files {
				names = append(names, fmt.Sprintf("%s:%d", f.Path, f.Size))
			}
			b.seen <- names
		})
	}()
	b.t.Cleanup(func() { stop(); <-over })
}

// until waits for a call that sees what is wanted, each "path:size".
func (b *watchedDir) until(want ...string) {
	b.t.Helper()
	var last []string
	for {
		select {
		case last = <-b.seen:
			b.calls++
			if fmt.Sprint(last) == fmt.Sprint(want) {
				return
			}
		case <-b.ctx.Done():
			b.t.Fatalf("the last call saw %v, want %v; the watcher is %+v", last, want, b.w.State())
		}
	}
}

func (b *watchedDir) path(name string) string { return filepath.Join(b.root, filepath.FromSlash(name)) }

func (b *watchedDir) write(name, text string) {
	b.t.Helper()
	b.must(os.MkdirAll(filepath.Dir(b.path(name)), 0o700))
	b.must(os.WriteFile(b.path(name), []byte(text), 0o600))
}

func (b *watchedDir) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *watchedDir) rename(from, to string) {
	b.t.Helper()
	b.must(os.Rename(b.path(from), b.path(to)))
}

func TestNotesThatChange(t *testing.T) {
	t.Parallel()
	b := newWatchedDir(t)
	b.write("a.md", "1")
	b.run()
	b.until("a.md:1")
	b.write("a.md", "22")
	b.until("a.md:2")
	b.write("b.md", "1")
	b.until("a.md:2", "b.md:1")
	b.rename("b.md", "c.md")
	b.until("a.md:2", "c.md:1")
	b.must(os.Remove(b.path("c.md")))
	b.until("a.md:2")
	// As editors save, and cairn itself: a hidden file that takes the place.
	b.write(".a.md.swp", "4444")
	b.rename(".a.md.swp", "a.md")
	b.until("a.md:4")
}

func TestDirectoriesThatComeAndGo(t *testing.T) {
	t.Parallel()
	b := newWatchedDir(t)
	outside := t.TempDir()
	b.run()
	b.until()
	b.write("deep/er/still/a.md", "1")
	b.until("deep/er/still/a.md:1")
	b.write("deep/er/still/a.md", "22") // the new directories are watched
	b.until("deep/er/still/a.md:2")

	b.rename("deep", "moved")
	b.until("moved/er/still/a.md:2")
	b.write("moved/er/still/a.md", "333")
	b.until("moved/er/still/a.md:3")
	// Another directory takes the old name.
	b.write("deep/er/still/b.md", "1")
	b.until("deep/er/still/b.md:1", "moved/er/still/a.md:3")
	b.write("deep/er/still/b.md", "22")
	b.until("deep/er/still/b.md:2", "moved/er/still/a.md:3")

	b.must(os.Rename(b.path("moved"), filepath.Join(outside, "moved")))
	b.until("deep/er/still/b.md:2")
	b.must(os.RemoveAll(b.path("deep")))
	b.until()
	b.must(os.Rename(filepath.Join(outside, "moved"), b.path("back")))
	b.until("back/er/still/a.md:3")
	b.write("back/er/still/a.md", "4444")
	b.until("back/er/still/a.md:4")
}

func TestIgnoreFilesDecideWhatIsWatched(t *testing.T) {
	t.Parallel()
	b := newWatchedDir(t)
	b.write(".gitignore", "build/\n")
	b.write("build/a.md", "1")
	b.write("b.md", "1")
	b.run()
	b.until("b.md:1")
	b.write(".gitignore", "b.md\n")
	b.until("build/a.md:1")
	b.write("build/a.md", "22")
	b.until("build/a.md:2")
}

// Directories that are deeper than the rules say are not watched, whenever they were made.
func TestDepthDecidesWhatIsWatched(t *testing.T) {
	t.Parallel()
	b := newWatchedDir(t)
	b.w.opts.Rules.Depth = 1
	b.write("a.md", "1")
	b.write("copies/one/b.md", "1")
	b.run()
	b.until("a.md:1", "copies/one/b.md:1")
	b.write("more/two/c.md", "1")
	b.write("a.md", "22")
	b.until("a.md:2", "copies/one/b.md:1", "more/two/c.md:1")
	if s := b.w.State(); s.Mode != Events || s.Dirs != 1 {
		t.Errorf("%+v", s)
	}
}

// What is ignored must not keep a machine busy: a call comes for the marker
// that is written after it, and for nothing before.
func TestIgnoredFilesCauseNoCalls(t *testing.T) {
	t.Parallel()
	b := newWatchedDir(t)
	b.write(".gitignore", "build/\n*.tmp.md\n")
	b.run()
	b.until()
	for i := range 100 {
		b.write(fmt.Sprintf("build/%d.md", i), "1")
		b.write(fmt.Sprintf("%d.tmp.md", i), "1")
		b.write(fmt.Sprintf(".hidden-%d.md", i), "1")
		b.write(fmt.Sprintf("%d.txt", i), "1")
		b.write(fmt.Sprintf(".git/objects/%d.md", i), "1")
	}
	before := b.calls
	b.write("marker.md", "1")
	b.until("marker.md:1")
	if n := b.calls - before; n != 1 {
		t.Errorf("%d calls for one note, want 1", n)
	}
}

// However long a checkout takes, it is one call, as long as there is no rest
// within it: a test says when there is one.
func TestCheckoutIsOneCall(t *testing.T) {
	t.Parallel()
	const files = 5000
	b := newWatchedDir(t)
	rest := make(chan time.Time)
	b.w.opts.After = func(d time.Duration) <-chan time.Time {
		if d == b.w.opts.Quiet {
			return rest
		}
		return time.After(d)
	}
	b.run()
	b.until()
	before := b.calls
	var want []string
	for i := range files {
		name := fmt.Sprintf("dir%03d/note%05d.md", i/50, i)
		b.write(name, "text")
		want = append(want, name+":4")
	}
	over := make(chan struct{})
	resting := make(chan struct{})
	go func() {
		defer close(resting)
		for {
			select {
			case rest <- time.Time{}: // several times, while events still come in
			case <-over:
				return
			}
		}
	}()
	b.until(want...)
	close(over)
	<-resting
	if n := b.calls - before; n != 1 {
		t.Errorf("%d files caused %d calls", files, n)
	}
}

func TestCallsDoNotOverlap(t *testing.T) {
	t.Parallel()
	b := newWatchedDir(t)
	ctx, stop := context.WithCancel(b.ctx)
	defer stop()
	var mu sync.Mutex
	entered, leave, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		b.w.Run(ctx, func(context.Context) {
			if !mu.TryLock() {
				t.Error("two calls at once")
				return
			}
			defer mu.Unlock()
			entered <- struct{}{}
			<-leave
		})
	}()
	<-entered
	b.write("a.md", "1") // while the first call runs
	leave <- struct{}{}
	<-entered // the change has a call of its own
	stop()
	select {
	case <-over:
		t.Error("Run returned before its last call")
	default:
	}
	leave <- struct{}{}
	<-over
}

func TestLostEventsAreFoundByAScan(t *testing.T) {
	t.Parallel()
	b := newWatchedDir(t)
	fake := &notifying{events: make(chan fsnotify.Event), errs: make(chan error)}
	b.w.notify = func() (notifier, error) { return fake, nil }
	b.run()
	b.until()
	b.write("new/a.md", "1") // the fake reports nothing
	fake.errs <- fsnotify.ErrEventOverflow
	b.until("new/a.md:1")
	if got := b.w.State(); got.Mode != Events || got.Dirs != 2 {
		t.Errorf("the watcher is %+v, want events of 2 directories", got)
	}
}

// notifying is a notifier that reports what a test says.
type notifying struct {
	events chan fsnotify.Event
	errs   chan error
	limit  int // watches that it has; 0 is no limit
	added  int
}

func (n *notifying) Add(string) error {
	if n.added++; n.limit > 0 && n.added > n.limit {
		return syscall.ENOSPC
	}
	return nil
}
func (n *notifying) Close() error { return nil }
func (n *notifying) channels() (<-chan fsnotify.Event, <-chan error) {
	return n.events, n.errs
}

func TestLimitsOfTheSystemMeanPolling(t *testing.T) {
	t.Parallel()
	for name, notify := range map[string]func() (notifier, error){
		"watches":   func() (notifier, error) { return &notifying{limit: 3}, nil },
		"instances": func() (notifier, error) { return nil, os.NewSyscallError("inotify_init1", syscall.EMFILE) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newWatchedDir(t)
			b.write("one/a.md", "1")
			b.write("two/a.md", "1")
			b.w.notify = notify
			b.run()
			b.until("one/a.md:1", "two/a.md:1")
			if got := b.w.State(); got.Mode != Polling || got.Reason == "" {
				t.Errorf("the watcher is %+v, want polling with a reason", got)
			}
			b.write("two/a.md", "22")
			b.until("one/a.md:1", "two/a.md:2")
			b.must(os.RemoveAll(b.path("one")))
			b.until("two/a.md:2")
		})
	}
}

func TestDirectoryThatGoesMissing(t *testing.T) {
	t.Parallel()
	b := newWatchedDir(t)
	b.root = b.path("vault")
	b.w.root = b.root
	b.run()
	b.write("a.md", "1") // makes the directory
	b.until("a.md:1")
	b.must(os.RemoveAll(b.root))
	b.waitFor(Missing)
	b.write("b.md", "1")
	b.until("b.md:1")
	b.write("b.md", "22")
	b.until("b.md:2")
	if got := b.w.State().Mode; got != Events {
		t.Errorf("the watcher is %s, want events again", got)
	}
}

// waitFor looks at the state until it has a mode. The state has no event, so
// this turns between looks; the watcher's own timers bring it there.
func (b *watchedDir) waitFor(m Mode) {
	b.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for b.w.State().Mode != m {
		select {
		case <-tick.C:
		case <-b.ctx.Done():
			b.t.Fatalf("the watcher is %+v, want %s", b.w.State(), m)
		}
	}
}
