//go:build unix

package gitsync_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// began is a device with one page that is pushed.
func began(t *testing.T) (home string, d *device) {
	t.Helper()
	home = newHome(t)
	d = newDevice(t, home, "one", true, time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	if err := d.put("p", "Begun."); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.Commit(t.Context(), d.a, gitsync.Request{All: true}))(t)
	d.push()
	return home, d
}

// wrapped puts a git on the PATH that does something first.
func wrapped(t *testing.T, script string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fsystest.WriteProgram(t, filepath.Join(dir, "git"), "#!/bin/sh\n"+script+"\nexec "+real+" \"$@\"\n")
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// Where git cannot commit now, a write stands, says so, and is committed with the next one.
func TestWriteStandsWhereGitFails(t *testing.T) {
	// Serial: it sets environment variables.
	for _, tc := range []struct {
		name, says string
		do         func(t *testing.T, d *device) (undo func())
	}{
		{"the disk is full in .git", "couldn't write", func(t *testing.T, d *device) func() {
			path := os.Getenv("PATH")
			wrapped(t, "trap '' XFSZ; ulimit -f 0")
			return func() { t.Setenv("PATH", path) }
		}},
		{"the directory is of another user", "dubious ownership", func(t *testing.T, d *device) func() {
			path := os.Getenv("PATH")
			wrapped(t, "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
			return func() { t.Setenv("PATH", path) }
		}},
		{"an object is damaged", "git", func(t *testing.T, d *device) func() {
			id := d.git("rev-parse", "HEAD^{tree}")
			at := filepath.Join(d.root, ".git", "objects", id[:2], id[2:])
			was, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			replace := func(text []byte) {
				if err := os.Remove(at); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, text, 0o444); err != nil {
					t.Fatal(err)
				}
			}
			replace([]byte("damaged"))
			return func() { replace(was) }
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, d := began(t)
			head := d.git("rev-parse", "HEAD")
			undo := tc.do(t, d)
			done, err := change.Put(t.Context(), d.a, change.PutRequest{Ref: "q", Text: []byte("Held.\n"), Summary: "A page."})
			if err != nil {
				t.Fatal(err)
			}
			if said := strings.Join(done.Pages[0].Notes, " "); !strings.Contains(said, "not committed yet") || !strings.Contains(said, tc.says) {
				t.Errorf("the answer says %q", said)
			}
			undo()
			if now := d.git("rev-parse", "HEAD"); now != head {
				t.Errorf("the branch is at %s", now)
			}
			if err := d.put("r", "Next."); err != nil {
				t.Fatal(err)
			}
			if n := d.git("rev-list", "--count", head+"..HEAD"); n != "2" {
				t.Errorf("there are %s commits:\n%s", n, d.git("log", "--oneline"))
			}
			if status := d.git("status", "--porcelain"); status != "" {
				t.Errorf("status: %s", status)
			}
			d.git("fsck", "--strict")
		})
	}
}

// A remote that is not there stops no write, and is told.
func TestRemoteThatIsGone(t *testing.T) {
	// Serial: it sets environment variables.
	_, d := began(t)
	d.git("config", "remote.origin.url", "../gone")
	apptest.Accept(t, d.a, "kb")
	for n := range 20 { // the clock goes on a minute each time it is looked at
		if err := d.append("p", strings.Repeat("x", n+1)); err != nil {
			t.Fatal(err)
		}
	}
	all := apptest.OK(state.Describe(t.Context(), d.a))(t).Git
	if len(all) != 1 || !strings.Contains(all[0].FetchError, "gone") || all[0].Ahead != 20 {
		t.Errorf("the state is %+v", all)
	}
	_, err := gitsync.Pull(t.Context(), d.a, gitsync.PullRequest{})
	if e := kb.AsError(err); err == nil || e.Reason != kb.GitUnreachable {
		t.Errorf("pull: %v", err)
	}
}

// A remote that does not answer holds a write up for its three seconds and is told; one who
// gives up waits no longer, and nothing of git is left running.
func TestRemoteThatHangs(t *testing.T) {
	// Serial: it sets environment variables.
	_, d := began(t)
	alive := filepath.Join(t.TempDir(), "alive")
	wrapped(t, `case " $* " in *" fetch "*|*" push "*) echo $$ > `+alive+`; sleep 600;; esac`)
	begun, said := time.Now(), ""
	for n := range 10 { // the clock goes on a minute each time it is looked at
		if err := d.append("p", strings.Repeat("y", n+1)); err != nil {
			t.Fatal(err)
		}
		if said = apptest.OK(state.Describe(t.Context(), d.a))(t).Git[0].FetchError; said != "" {
			break
		}
	}
	if took := time.Since(begun); !strings.Contains(said, "did not finish in time") || took < 3*time.Second || took > 20*time.Second {
		t.Errorf("after %s: %q", took, said)
	}
	gone(t, alive)
	for name, do := range map[string]func(ctx context.Context) error{
		"pull": func(ctx context.Context) error { _, err := gitsync.Pull(ctx, d.a, gitsync.PullRequest{}); return err },
		"push": func(ctx context.Context) error { _, err := gitsync.Push(ctx, d.a); return err },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		begun := time.Now()
		if err := do(ctx); err == nil || time.Since(begun) > 10*time.Second {
			t.Errorf("%s: %v after %s", name, err, time.Since(begun))
		}
		cancel()
		gone(t, alive)
	}
	if status := d.git("status", "--porcelain"); status != "" {
		t.Errorf("status: %s", status)
	}
}

// gone fails where the program whose number is in a file still runs a while later.
func gone(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if err := syscall.Kill(pid, 0); err != nil {
			return
		}
		<-time.After(100 * time.Millisecond)
	}
	t.Errorf("git still runs as %d", pid)
}

// A remote that takes no push is told, with its words; the commits stay and go with the next
// push.
func TestRemoteThatRejects(t *testing.T) {
	// Serial: it sets environment variables.
	home, d := began(t)
	hook := filepath.Join(home, "remote", "hooks", "pre-receive")
	fsystest.WriteProgram(t, hook, "#!/bin/sh\necho 'closed for today'\nexit 1\n")
	if err := d.append("p", "Kept."); err != nil {
		t.Fatal(err)
	}
	head := d.git("rev-parse", "HEAD")
	_, err := gitsync.Push(t.Context(), d.a)
	if e := kb.AsError(err); err == nil || e.Code != kb.Conflict || e.Reason == kb.GitDiverged || !strings.Contains(e.Error(), "closed for today") {
		t.Errorf("push: %v", err)
	}
	foundState := apptest.OK(state.Describe(t.Context(), d.a))(t)
	if g := foundState.Git[0]; g.Ahead == 0 || !strings.Contains(g.PushError, "closed for today") {
		t.Errorf("the state is %+v", g)
	}
	if !slices.ContainsFunc(foundState.Problems, func(c api.Check) bool {
		return c.Name == "git kb" && strings.Contains(c.Reason+strings.Join(c.Items, ""), "closed for today")
	}) {
		t.Errorf("nobody is told: %+v", foundState.Problems)
	}
	if now := d.git("rev-parse", "HEAD"); now != head {
		t.Errorf("the branch is at %s", now)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	d.push()
	if there := run(t, filepath.Join(home, "remote"), "rev-parse", "main"); there != head {
		t.Errorf("the remote has %s", there)
	}
	if g := apptest.OK(state.Describe(t.Context(), d.a))(t).Git[0]; g.PushError != "" {
		t.Errorf("the state is %+v", g)
	}
}

// What a forced push took out is not brought back.
func TestRemoteThatWasRewritten(t *testing.T) {
	// Serial: it sets environment variables.
	home, d := began(t)
	if err := d.put("regretted", "Never said."); err != nil {
		t.Fatal(err)
	}
	d.push()
	other := filepath.Join(home, "other")
	run(t, home, "clone", "-q", filepath.Join(home, "remote"), other)
	run(t, other, "reset", "-q", "--hard", "HEAD~1")
	run(t, other, "commit", "-q", "--allow-empty", "-m", "other")
	run(t, other, "push", "-q", "--force")
	before := d.git("rev-parse", "HEAD")
	_, err := gitsync.Pull(t.Context(), d.a, gitsync.PullRequest{})
	if e := kb.AsError(err); err == nil || e.Reason != kb.GitRewritten || e.Details["commit"] != before {
		t.Errorf("pull: %v", err)
	}
	if now := d.git("rev-parse", "HEAD"); now != before {
		t.Errorf("the branch is at %s", now)
	}
	_, err = gitsync.Push(t.Context(), d.a)
	if e := kb.AsError(err); err == nil || e.Reason != kb.GitDiverged {
		t.Errorf("push: %v", err)
	}
}

// A person is in the middle of something: neither a pull nor a write gets in the way.
func TestPullDuringARebase(t *testing.T) {
	// Serial: it sets environment variables.
	_, d := began(t)
	if err := os.Mkdir(filepath.Join(d.root, ".git", "rebase-merge"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := gitsync.Pull(t.Context(), d.a, gitsync.PullRequest{})
	if e := kb.AsError(err); err == nil || e.Reason != kb.GitUnderway {
		t.Errorf("pull: %v", err)
	}
	if e := kb.AsError(d.append("p", "x")); e.Reason != kb.GitUnderway {
		t.Errorf("append: %v", e)
	}
}
