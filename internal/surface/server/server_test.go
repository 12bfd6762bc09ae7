package server

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/watch"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/sessions"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// testServer is a server that looks after a memory with the directory space "notes".
// Waits are shorter than in life, but for the long ones, which end when a test
// says so.
type testServer struct {
	*apptest.Bed
	ctx    context.Context
	root   string
	app    *memory.Session
	server *Server
	events chan Event
	quiet  chan time.Time // ends a burst, when a test holds it
	whole  chan time.Time // is the time for comparing everything
	retry  chan time.Time // is the time for trying again
	due    chan time.Time // is the time for looking what is due
	ahead  atomic.Int64   // by how much the clock is ahead
}

// newServer makes the server, without starting it. Held bursts end when the test
// says so.
func newServer(t *testing.T, hold bool) *testServer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	b := &testServer{Bed: apptest.New(t), ctx: ctx, events: make(chan Event, 10_000),
		quiet: make(chan time.Time), whole: make(chan time.Time), retry: make(chan time.Time), due: make(chan time.Time),
	}
	b.root = filepath.Join(b.Home, "notes")
	b.write("first.md", "# First\n")
	b.Opts.Now = func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) }
	b.Opts.Actor, b.Opts.Workers = kb.Actor{Kind: kb.Sync}, 2
	b.app = b.Open()
	apptest.OK(gitsync.AddSpace(ctx, b.app, space.AddRequest{Root: b.root, Name: "notes"}))(t)
	b.server = New(b.app, Options{Embed: true, Report: func(e Event) { b.events <- e }, After: func(d time.Duration) <-chan time.Time {
		switch {
		case d == wholeEvery:
			return b.whole
		case d == retryEvery:
			return b.retry
		case d == dueEvery:
			return b.due
		case d == quiet && hold:
			return b.quiet
		}
		return time.After(d / 10)
	}})
	return b
}

// run starts the server, waits until it watches and knows what is there, and
// stops it at the end of the test.
func (b *testServer) run() {
	b.T.Helper()
	ctx, stop := context.WithCancel(b.ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.server.Run(ctx)
	}()
	b.T.Cleanup(func() { stop(); <-ended })
	watched, synced := false, false
	b.until("that it has begun", func(e Event) bool {
		watched = watched || e.Kind == Watching && e.Mode == watch.Events
		synced = synced || e.Kind == Synced
		return watched && synced
	})
}

// until waits for an event.
func (b *testServer) until(what string, is func(Event) bool) Event {
	b.T.Helper()
	for {
		select {
		case e := <-b.events:
			if is(e) {
				return e
			}
		case <-b.ctx.Done():
			b.T.Fatalf("the server never said %s", what)
		}
	}
}

// synced waits for what the next sync brought.
func (b *testServer) synced() *api.SyncReport {
	b.T.Helper()
	return b.until("that something was synced", func(e Event) bool { return e.Kind == Synced }).Sync
}

func (b *testServer) path(name string) string { return filepath.Join(b.root, filepath.FromSlash(name)) }

func (b *testServer) write(name, text string) {
	b.T.Helper()
	b.must(os.MkdirAll(filepath.Dir(b.path(name)), 0o700))
	b.must(os.WriteFile(b.path(name), []byte(text), 0o600))
}

func (b *testServer) must(err error) {
	b.T.Helper()
	if err != nil {
		b.T.Fatal(err)
	}
}

// A burst of changes is one sync, which sees all of it.
func TestBurstIsOneSync(t *testing.T) {
	t.Parallel()
	b := newServer(t, true)
	b.run()
	for i := range 20 {
		b.write(fmt.Sprintf("n%d.md", i), "# N\n")
	}
	for {
		select {
		case b.quiet <- time.Time{}: // more than once, if events are still coming in
			continue
		case e := <-b.events:
			if e.Kind != Synced {
				continue
			}
			if len(e.Sync.Added) != 20 {
				t.Errorf("the first sync after the burst adds %v", e.Sync.Added)
			}
		case <-b.ctx.Done():
			t.Error("the burst was never synced")
		}
		return
	}
}

// As editors save: a new file takes the place of the old one.
func TestFileReplacedByRename(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	b.run()
	b.write(".first.md.tmp", "# First\n\nAgain.\n")
	b.must(os.Rename(b.path(".first.md.tmp"), b.path("first.md")))
	if r := b.synced(); !slices.Equal(r.Changed, []string{"first.md"}) || len(r.Added) > 0 || len(r.Deleted) > 0 {
		t.Errorf("the sync reports %+v", r)
	}
}

// A directory that is moved in is watched like one that grew there.
func TestDirectoryMovedIn(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	outside := filepath.Join(filepath.Dir(b.root), "outside")
	b.must(os.MkdirAll(filepath.Join(outside, "deep"), 0o700))
	b.must(os.WriteFile(filepath.Join(outside, "deep", "a.md"), []byte("# A\n"), 0o600))
	b.run()
	b.must(os.Rename(outside, b.path("moved")))
	if r := b.synced(); !slices.Equal(r.Added, []string{"moved/deep/a.md"}) {
		t.Errorf("the sync reports %+v", r)
	}
	b.write("moved/deep/a.md", "# A\n\nMore.\n")
	if r := b.synced(); !slices.Equal(r.Changed, []string{"moved/deep/a.md"}) {
		t.Errorf("the sync reports %+v", r)
	}
}

// A directory of pages that is renamed takes them along: they stay the pages that they
// were, and what links to them still leads there.
func TestDirectoryMoved(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	b.write("projects/kiln/parts.md", "# Parts\n\n- needs [[Clay]]\n")
	b.write("projects/kiln/deep/clay.md", "# Clay\n")
	b.write("list.md", "[[Parts]]\n")
	b.run()
	was := map[string]kb.ID{}
	for _, p := range apptest.OK(retrieve.Pages(b.ctx, b.app, retrieve.ListRequest{}))(t).Items {
		was[p.Title] = p.ID
	}
	for _, to := range []string{"archive", "projects/kiln/archive"} {
		b.must(os.MkdirAll(filepath.Dir(b.path(to)), 0o700))
		from := "projects/kiln"
		if to != "archive" {
			from = "archive"
		}
		b.must(os.Rename(b.path(from), b.path(to)))
		moved := 0
		for moved < 2 {
			r := b.synced()
			if moved += len(r.Moved); len(r.Added)+len(r.Deleted)+len(r.Failed) > 0 {
				t.Fatalf("to %s: the sync reports %+v", to, r)
			}
		}
		for _, p := range apptest.OK(retrieve.Pages(b.ctx, b.app, retrieve.ListRequest{}))(t).Items {
			if p.ID != was[p.Title] {
				t.Errorf("%s is another page at %s", p.Title, p.Path)
			}
		}
		if l := apptest.OK(links.List(b.ctx, b.app, api.LinksRequest{Way: api.In, Ref: to + "/parts"}))(t); l.Total != 1 {
			t.Errorf("%d links lead to the page in %s, want 1", l.Total, to)
		}
	}
}

// A checkout of many files is read whole, each file once, and nothing is lost of what is
// written meanwhile.
func TestCheckout(t *testing.T) {
	t.Parallel()
	const files = 5000
	b := newServer(t, false)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(b.ctx, "git", append([]string{"-C", b.root, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	git("init", "-q", "-b", "empty")
	git("add", ".")
	git("commit", "-qm", "one file")
	git("checkout", "-q", "-b", "full")
	for i := range files {
		b.write(fmt.Sprintf("d%d/n%d.md", i%50, i), fmt.Sprintf("# Note %d\n", i))
	}
	git("add", ".")
	git("commit", "-qm", "many files")
	git("checkout", "-q", "empty")
	b.run()
	wrote, enough := make(chan int), make(chan struct{})
	go func() {
		n := 0
		defer func() { wrote <- n }()
		for ; ; n++ {
			select {
			case <-enough:
				return
			default:
			}
			if _, err := change.Put(b.ctx, b.app, change.PutRequest{Ref: fmt.Sprintf("notes:w/page %d", n), Text: fmt.Appendf(nil, "# Page %d\n", n)}); err != nil {
				t.Errorf("a write during the checkout: %v", err)
				return
			}
		}
	}()
	git("checkout", "-q", "full")
	added := map[string]bool{}
	for len(added) < files {
		r := b.synced()
		if len(r.Failed) > 0 || len(r.Deleted) > 0 || len(r.Moved) > 0 {
			t.Errorf("the sync reports %+v", r)
		}
		for _, name := range r.Added {
			if added[name] || !strings.HasPrefix(name, "d") {
				t.Errorf("%s is added, again or from nowhere", name)
			}
			added[name] = true
		}
	}
	close(enough)
	n := <-wrote
	if n == 0 {
		t.Error("nothing was written meanwhile")
	}
	pages := apptest.OK(retrieve.Pages(b.ctx, b.app, retrieve.ListRequest{}))(t)
	if pages.Total != files+n+1 {
		t.Errorf("%d pages are there, want %d and %d and one", pages.Total, files, n)
	}
	for _, p := range pages.Items {
		if p.Version == 1 {
			continue
		}
		// On a machine that is busy git may rest for long between making a file and
		// filling it.
		first := apptest.OK(read.Get(b.ctx, b.app, read.GetRequest{Ref: p.Ref, Version: 1}))(t)
		if p.Version > 2 || len(first.Text) > 0 {
			t.Errorf("%s has version %d, after one with %q", p.Path, p.Version, first.Text)
		}
	}
}

// A server begins with what is in the files, embeds that, and goes on with what changes;
// when it is told to end, all of it has ended when Run returns, and the memory can be
// closed.
func TestOrderOfStartAndEnd(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	b.write("second.md", "- knows [[First]]\n")
	ctx, stop := context.WithCancel(b.ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); b.server.Run(ctx) }()
	var kinds []Kind
	for !slices.Contains(kinds, Embedded) || !slices.Contains(kinds, Watching) {
		e := b.until("anything", func(Event) bool { return true })
		if kinds = append(kinds, e.Kind); e.Kind == Synced && len(e.Sync.Added) != 2 {
			t.Errorf("the first sync reports %+v", e.Sync)
		}
	}
	if s, e := slices.Index(kinds, Synced), slices.Index(kinds, Embedded); s < 0 || e < s {
		t.Errorf("the server did %v", kinds)
	}
	if l := apptest.OK(links.List(b.ctx, b.app, api.LinksRequest{Way: api.In, Ref: "notes:first"}))(t); l.Total != 1 {
		t.Errorf("%d links lead to the first page after the first sync, want 1", l.Total)
	}
	b.write("third.md", "# Third\n")
	b.synced()
	stop()
	<-ended
	for len(b.events) > 0 {
		<-b.events
	}
	b.write("fourth.md", "# Fourth\n")
	other := b.Open()
	if n := apptest.OK(retrieve.Pages(b.ctx, other, retrieve.ListRequest{}))(t).Total; n != 3 {
		t.Errorf("%d pages are there after the end, want 3", n)
	}
	b.must(b.app.Close())
	if len(b.events) > 0 {
		t.Errorf("the server went on after its end: %+v", <-b.events)
	}
	if n := len(apptest.OK(gitsync.Sync(b.ctx, other, gitsync.SyncRequest{Space: "notes"}))(t)[0].Added); n != 1 {
		t.Errorf("%d files came after the end, want 1", n)
	}
}

// What no event told of is found when everything is compared.
func TestLostEvent(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	// The system tells of a file under the name by which it was changed.
	outside := filepath.Join(filepath.Dir(b.root), "same-file.md")
	if err := os.Link(b.path("first.md"), outside); err != nil {
		t.Fatal(err)
	}
	b.run()
	b.must(os.WriteFile(outside, []byte("# First\n\nIn silence.\n"), 0o600))
	b.whole <- time.Time{}
	if r := b.synced(); !slices.Equal(r.Changed, []string{"first.md"}) {
		t.Errorf("the sync reports %+v", r)
	}
}

// What cannot be synced is a fault, until it can be.
func TestFault(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	for i := range 10 {
		b.write(fmt.Sprintf("d/n%d.md", i), "# N\n")
	}
	b.run()
	if f := b.server.Faults(); len(f) > 0 {
		t.Errorf("at the start the faults are %v", f)
	}
	// More than half of the files are gone, which may be a disk that is not
	// mounted.
	b.must(os.Rename(b.path("d"), b.root+".away"))
	e := b.until("that the directory fails", func(e Event) bool { return e.Kind == Failed })
	if e.Part != Directory || e.Space != "notes" || kb.CodeOf(e.Err) == "" {
		t.Errorf("the failure is %+v", e)
	}
	if f := b.server.Faults(); !slices.Equal(f, []Part{Directory}) {
		t.Errorf("the faults are %v", f)
	}
	b.must(os.Rename(b.root+".away", b.path("d")))
	b.until("that it is mended", func(e Event) bool { return e.Kind == Mended && e.Part == Directory })
	if f := b.server.Faults(); len(f) > 0 {
		t.Errorf("in the end the faults are %v", f)
	}
}

// What is wrong with a space is over when the space is.
func TestFaultOfASpaceThatIsRemoved(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	for i := range 10 {
		b.write(fmt.Sprintf("d/n%d.md", i), "# N\n")
	}
	b.run()
	b.must(os.Rename(b.path("d"), b.root+".away"))
	b.until("that the directory fails", func(e Event) bool { return e.Kind == Failed })
	if _, err := b.app.Spaces.Remove(b.ctx, space.RemoveRequest{Name: "notes"}); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(filepath.Dir(b.root), "other")
	b.must(os.MkdirAll(other, 0o700))
	if _, err := gitsync.AddSpace(b.ctx, b.app, space.AddRequest{Root: other, Name: "other"}); err != nil {
		t.Fatal(err)
	}
	b.until("that other is watched", func(e Event) bool { return e.Kind == Watching && e.Space == "other" })
	if f := b.server.Faults(); len(f) > 0 {
		t.Errorf("the faults are %v", f)
	}
}

// What failed is tried again without an event.
func TestRetry(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	for i := range 10 {
		b.write(fmt.Sprintf("d/n%d.md", i), "# N\n")
	}
	b.run()
	b.must(os.Rename(b.path("d"), b.root+".away"))
	b.until("that the directory fails", func(e Event) bool { return e.Kind == Failed })
	if _, err := gitsync.Sync(b.ctx, b.app, gitsync.SyncRequest{Space: "notes", Yes: true}); err != nil { // a person agrees
		t.Fatal(err)
	}
	b.retry <- time.Time{}
	b.until("that it is mended", func(e Event) bool { return e.Kind == Mended })
}

// What is due is done beside the rest, once, and what fails is said and tried
// again.
// A server embeds pages, unless it is told not to.
func TestEmbeds(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	b.run()
	b.write("second.md", "# Second\n") // the first may be embedded already
	b.until("that a page is embedded", func(e Event) bool { return e.Kind == Embedded })
}

func TestEmbedsNothing(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	b.server.opts.Embed = false
	b.run()
	b.due <- time.Time{}
	b.until("that it was at work for a while", func(e Event) bool { return e.Kind == Maintained && e.Job == "check" })
	r, err := embedding.Embed(b.ctx, b.app, embedding.Request{All: true})
	if err != nil || r.Pages != 1 {
		t.Errorf("not one page was left to embed: %+v, %v", r, err)
	}
}

func TestMaintains(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	b.run()
	b.due <- time.Time{}
	for _, job := range []string{"merge", "check"} {
		e := b.until("that the job "+job+" was done", func(e Event) bool { return e.Kind == Maintained })
		if e.Job != job || e.Maintain.Job != job {
			t.Errorf("done is %+v, not %s", e, job)
		}
	}
	b.write(".cairn/space.toml", "[retention]\nsnapshot_weekly = -1\n")
	// Another process fails at it: here it is not due then.
	if _, err := jobs.Maintain(b.ctx, b.app, jobs.MaintainRequest{Jobs: []string{"retention"}, Force: true}); err != nil {
		t.Fatal(err)
	}
	b.due <- time.Time{}
	b.ahead.Add(int64(24 * time.Hour))
	b.due <- time.Time{}
	e := b.until("that retention fails", func(e Event) bool { return e.Kind == Failed })
	if e.Part != Maintenance || e.Job != "retention" || kb.AsError(e.Err).Hint == "" {
		t.Errorf("the failure is %+v", e)
	}
	if f := b.server.Faults(); !slices.Equal(f, []Part{Maintenance}) {
		t.Errorf("the faults are %v", f)
	}
	b.write(".cairn/space.toml", "[retention]\nsnapshot_days = 1\n")
	b.ahead.Add(int64(24 * time.Hour))
	b.due <- time.Time{}
	b.until("that it is mended", func(e Event) bool { return e.Kind == Mended && e.Job == "retention" })
}

// What another process adds and removes is followed, and what is not of a note
// is no work.
func TestFollowsSpaces(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	b.run()
	other := filepath.Join(filepath.Dir(b.root), "other")
	b.must(os.MkdirAll(other, 0o700))
	b.must(os.WriteFile(filepath.Join(other, "b.md"), []byte("# B\n"), 0o600))
	if _, err := gitsync.AddSpace(b.ctx, b.app, space.AddRequest{Root: other, Name: "other"}); err != nil {
		t.Fatal(err)
	}
	b.until("that other is watched", func(e Event) bool { return e.Kind == Watching && e.Space == "other" })
	b.write("picture.png", "x")
	b.write(".hidden/a.md", "x")
	b.must(os.WriteFile(filepath.Join(other, "c.md"), []byte("# C\n"), 0o600))
	b.until("that c.md is synced", func(e Event) bool {
		if e.Kind == Synced && e.Space == "notes" {
			t.Errorf("files that are no notes are synced: %+v", e.Sync)
		}
		return e.Kind == Synced && strings.Contains(strings.Join(e.Sync.Added, " "), "c.md")
	})
}

// What a write adds is embedded after a rest, since others may write on.
func TestEmbeddingLetsWritersGoFirst(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	apptest.OK(gitsync.Sync(b.ctx, b.app, gitsync.SyncRequest{Space: "notes"}))(t)
	embedded := func() (n int) {
		for _, m := range apptest.OK(embedding.ListModels(b.ctx, b.app))(t) {
			n += m.Pages
		}
		return n
	}
	var at []int
	b.server.opts.After = func(time.Duration) <-chan time.Time {
		at = append(at, embedded())
		return over()
	}
	if busy, err := b.server.embedAll(b.ctx); busy || err != nil {
		t.Fatal(busy, err)
	}
	if len(at) == 0 || at[0] != 0 || embedded() != 1 {
		t.Errorf("%v pages were embedded at each rest and %d in the end, want 0 at the first and 1", at, embedded())
	}
}

// Embedding rests until nobody writes any more, but not for ever.
func TestEmbeddingRestsWhileOthersWrite(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	for writes, want := range map[int]int{0: 1, 3: 4, 100: maxRests} {
		rests := 0
		b.server.opts.After = func(time.Duration) <-chan time.Time {
			if rests++; rests <= writes {
				b.write("first.md", fmt.Sprintf("# %d of %d\n", rests, writes))
				if _, err := gitsync.Sync(b.ctx, b.app, gitsync.SyncRequest{Space: "notes", Full: true}); err != nil {
					t.Fatal(err)
				}
			}
			return over()
		}
		if !b.server.standAside(b.ctx) || rests != want {
			t.Errorf("%d rests with %d writes, want %d", rests, writes, want)
		}
	}
}

// over is a time that has come.
func over() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}

// manyPages adds pages that take several stretches to embed.
func manyPages(b *testServer) {
	for i := range 24 {
		b.write(fmt.Sprintf("many/%02d.md", i), strings.Repeat(fmt.Sprintf("Sentence %d says something of its own about stones. ", i), 30))
	}
	apptest.OK(gitsync.Sync(b.ctx, b.app, gitsync.SyncRequest{Space: "notes"}))(b.T)
}

// Where nobody asks and nobody writes, pages are embedded without a rest.
func TestEmbeddingGoesOnWhileNobodyAsks(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	manyPages(b)
	rests := 0
	b.server.opts.After = func(time.Duration) <-chan time.Time { rests++; return over() }
	if busy, err := b.server.embedAll(b.ctx); busy || err != nil {
		t.Fatal(busy, err)
	}
	if rests != 1 {
		t.Errorf("%d rests, want one at the beginning", rests)
	}
}

// It stands aside until a rest after the last answer, and when somebody came
// meanwhile, but not for ever.
func TestEmbeddingStandsAsideForRequests(t *testing.T) {
	t.Parallel()
	b := newServer(t, false)
	apptest.OK(gitsync.Sync(b.ctx, b.app, gitsync.SyncRequest{Space: "notes"}))(t)
	for asked, want := range map[int]int{0: 1, 1: 3, 4: 6, 100: maxRests} {
		end, rests := sync.OnceFunc(b.app.Begin()), 0
		if asked == 0 {
			end()
		}
		b.server.opts.After = func(time.Duration) <-chan time.Time {
			if rests++; rests == asked+1 {
				end()
			}
			return over()
		}
		if !b.server.standAside(b.ctx) || rests != want {
			t.Errorf("%d rests with %d looks that see a request, want %d", rests, asked, want)
		}
		end()
	}
	rests := 0
	b.server.opts.After = func(time.Duration) <-chan time.Time {
		if rests++; rests < 4 {
			b.app.Begin()() // over before anybody looks
		}
		return over()
	}
	if !b.server.standAside(b.ctx) || rests != 4 {
		t.Errorf("%d rests with three short requests, want 4", rests)
	}
}

// A session that is written is searchable before anybody asks for it, also one that grows all
// the time: its burst is held for half a second at most.
func TestSessionsAreFollowed(t *testing.T) {
	t.Parallel()
	if quiet > growing || growing > 500*time.Millisecond {
		t.Errorf("a session that grows is read after %s", growing)
	}
	b := newServer(t, false)
	line := func(text string) string {
		return `{"type":"user","message":{"role":"user","content":"` + text + `"},"timestamp":"2026-11-20T10:00:00.000Z","cwd":"/src","sessionId":"one"}` + "\n"
	}
	transcript := filepath.Join(b.Home, ".claude", "projects", "-src", "one.jsonl")
	b.must(os.MkdirAll(filepath.Dir(transcript), 0o700))
	b.must(os.WriteFile(transcript, []byte(line("Make the retries back off")), 0o600))
	apptest.OK(sessions.Attach(b.ctx, b.app.As(kb.Actor{Kind: kb.Human, Name: "ada"}), sessions.AttachRequest{}))(t)
	b.run()
	in := b.app.In(sessions.Name)
	f := apptest.OK(os.OpenFile(transcript, os.O_APPEND|os.O_WRONLY, 0))(t)
	apptest.OK(f.WriteString(line("And cap the delay at a minute")))(t)
	b.must(f.Close())
	b.until("that it read the new line", func(e Event) bool {
		return e.Kind == Synced && e.Space == sessions.Name &&
			len(apptest.OK(read.Search(b.ctx, in, retrieve.SearchRequest{Query: "cap minute"}))(t).Items) == 1
	})
}
