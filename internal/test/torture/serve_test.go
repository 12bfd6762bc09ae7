package torture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/surface/server"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// serving is a cairn serve that runs.
type serving struct {
	t      *testing.T
	cmd    *exec.Cmd
	events chan server.Event // closed when it has ended
	place  chan place        // where it listens
	errors bytes.Buffer
	late   <-chan time.Time
}

// place is where a server listens.
type place struct {
	URL   string `json:"url"`
	Token string `json:"token_file"`
}

// serve starts a server, which is killed at the end of the test unless it has
// ended.
func serve(t *testing.T, home string, args ...string) *serving {
	t.Helper()
	binary := cairntest.Binary(t) // which may be built first, for longer than a server takes
	s := &serving{t: t, events: make(chan server.Event, 1000), place: make(chan place, 1), late: time.After(time.Minute)}
	s.cmd = exec.Command(binary, append([]string{"serve", "--json"}, args...)...)
	s.cmd.Dir = home
	s.cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TZ=UTC"}
	s.cmd.Stderr = &s.errors
	out := apptest.OK(s.cmd.StdoutPipe())(t)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.events)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var e struct {
				server.Event
				place
			}
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Errorf("serve printed %q: %v", lines.Text(), err)
				continue
			}
			if e.URL != "" {
				s.place <- e.place
				continue
			}
			s.events <- e.Event
		}
	}()
	t.Cleanup(func() {
		if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		_ = s.cmd.Wait() // of a process that was killed, or awaited before
	})
	return s
}

// served is a server that syncs while others write, until it is killed.
type served struct{ *serving }

// awaitEvents waits for the moment alone: what the server does is its own.
func (s *served) awaitEvents(_ int, moment time.Duration) { <-time.After(moment) }

func (s *served) kill() []event {
	s.t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Errorf("serve ended by itself: %v: %s", err, s.errors.String())
	}
	_ = s.end() // killed, so always an error
	return nil
}

// until waits for an event.
func (s *serving) until(what string, is func(server.Event) bool) {
	s.t.Helper()
	for {
		select {
		case e, open := <-s.events:
			if !open {
				s.t.Fatalf("serve ended before it said %s; it complained: %s", what, s.errors.String())
			}
			if is(e) {
				return
			}
		case <-s.late:
			s.t.Fatalf("serve never said %s", what)
		}
	}
}

func (s *serving) untilWatched(space string) {
	s.t.Helper()
	s.until("that "+space+" is watched", func(e server.Event) bool { return e.Kind == server.Watching && e.Space == space })
}

func (s *serving) untilSynced(space string) {
	s.t.Helper()
	s.until("that "+space+" is synced", func(e server.Event) bool { return e.Kind == server.Synced && e.Space == space })
}

// untilServed waits until a space is watched and what happened before is synced, whichever
// is said first.
func (s *serving) untilServed(space string) {
	s.t.Helper()
	said := map[server.Kind]bool{}
	s.until("that "+space+" is watched and synced", func(e server.Event) bool {
		said[e.Kind] = said[e.Kind] || e.Space == space
		return said[server.Watching] && said[server.Synced]
	})
}

// end waits for the process after it was told to end.
func (s *serving) end() error {
	s.t.Helper()
	for open := true; open; {
		select {
		case _, open = <-s.events:
		case <-s.late:
			s.t.Fatal("serve does not end")
		}
	}
	return s.cmd.Wait()
}

// tagged asks another process, with a command that does not sync by itself.
func tagged(t *testing.T, c *commands, tag string) int {
	t.Helper()
	var pages api.List[api.Page]
	if err := c.run(nil, &pages, "list", "--tag", tag); err != nil && kb.CodeOf(err) != kb.NotFound {
		t.Fatal(err)
	}
	return pages.Total
}

func TestServeFollowsEditorsAndProcesses(t *testing.T) {
	slowtest.NoRace(t, "the work is done by binaries without the detector")
	t.Parallel()
	home := newHome(t, map[string]string{"a.md": "# A\n"})
	c := newCommands(t, home, "cli")
	s := serve(t, home)
	s.untilServed("notes")

	// As editors save: a new file takes the place of the old one.
	writeFile(t, filepath.Join(root(home), "a.md~"), "---\ntags: [saved]\n---\n# A\n")
	if err := os.Rename(filepath.Join(root(home), "a.md~"), filepath.Join(root(home), "a.md")); err != nil {
		t.Fatal(err)
	}
	s.untilSynced("notes")
	if n := tagged(t, c, "saved"); n != 1 {
		t.Errorf("%d pages have the tag that an editor saved, want 1", n)
	}

	// A space that another process adds, and one that it takes away.
	other := filepath.Join(home, "other")
	writeFile(t, filepath.Join(other, "b.md"), "---\ntags: [other]\n---\n# B\n")
	var space api.Space
	if err := c.run(nil, &space, "space", "add", other, "--name", "other"); err != nil {
		t.Fatal(err)
	}
	s.untilWatched("other")
	writeFile(t, filepath.Join(other, "c.md"), "---\ntags: [other]\n---\n# C\n")
	s.until("that c.md is synced", func(e server.Event) bool {
		return e.Sync != nil && strings.Contains(strings.Join(e.Sync.Added, " "), "c.md")
	})
	// What another process writes becomes searchable by meaning.
	if _, err := c.Put(t.Context(), change.PutRequest{Ref: "notes:written", Text: []byte("# Written\n\nBy another process.\n")}); err != nil {
		t.Fatal(err)
	}
	s.until("that nothing is left to embed", func(e server.Event) bool { return e.Embed != nil && e.Embed.Left == 0 })
}

// One space whose directory is gone does not keep the others from being served.
func TestServeGoesOnBesideTrouble(t *testing.T) {
	slowtest.NoRace(t, "the work is done by binaries without the detector")
	t.Parallel()
	home := newHome(t, map[string]string{"a.md": "# A\n"})
	gone := filepath.Join(home, "gone")
	writeFile(t, filepath.Join(gone, "b.md"), "# B\n")
	c := newCommands(t, home, "cli")
	var space api.Space
	if err := c.run(nil, &space, "space", "add", gone, "--name", "gone"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(gone, gone+".away"); err != nil {
		t.Fatal(err)
	}
	s := serve(t, home)
	s.until("that a directory is missing", func(e server.Event) bool { return e.Space == "gone" && e.Mode == "missing" })
	writeFile(t, filepath.Join(root(home), "c.md"), "# C\n")
	s.untilSynced("notes")
	if err := os.Rename(gone+".away", gone); err != nil {
		t.Fatal(err)
	}
	s.until("that the directory is back", func(e server.Event) bool { return e.Space == "gone" && e.Mode == "events" })
}

func TestServeIsKilled(t *testing.T) {
	slowtest.NoRace(t, "the work is done by binaries without the detector")
	t.Parallel()
	home := newHome(t, map[string]string{"a.md": "# A\n"})
	c := newCommands(t, home, "cli")
	s := serve(t, home)
	for i := range 200 {
		writeFile(t, filepath.Join(root(home), "n", string(rune('a'+i%26)), string(rune('a'+i/26))+".md"), "---\ntags: [many]\n---\n# N\n")
	}
	s.untilSynced("notes") // and it is at work on what came since
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The command line works at once, and finds nothing lost.
	if _, err := c.Put(t.Context(), change.PutRequest{Ref: "after", Text: []byte("# After\n")}); err != nil {
		t.Fatal(err)
	}
	apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)
	if n := tagged(t, c, "many"); n != 200 {
		t.Errorf("%d pages are there after the server was killed, want 200", n)
	}
	_ = s.end() // killed
}

func TestServeEndsWhenTold(t *testing.T) {
	slowtest.NoRace(t, "the work is done by binaries without the detector")
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be asked to end")
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		home := newHome(t, nil)
		c := newCommands(t, home, "cli")
		s := serve(t, home)
		s.untilWatched("notes")
		for i := range 200 {
			writeFile(t, filepath.Join(root(home), "n", string(rune('a'+i%26)), string(rune('a'+i/26))+".md"), "---\ntags: [many]\n---\n# N\n")
		}
		if err := s.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := s.end(); err != nil {
			t.Errorf("%s: serve ended with %v: %s", signal, err, s.errors.String())
		}
		apptest.OK(c.Sync(t.Context(), gitsync.SyncRequest{}))(t)
		if n := tagged(t, c, "many"); n != 200 {
			t.Errorf("%s: %d pages are there after the server ended, want 200", signal, n)
		}
		if checks := apptest.OK(doctor.Validate(t.Context(), open(t, home), true))(t); len(checks) > 0 {
			for _, check := range checks {
				if check.State != "ok" {
					t.Errorf("%s: %s: %s", signal, check.Name, check.Reason)
				}
			}
		}
	}
}
