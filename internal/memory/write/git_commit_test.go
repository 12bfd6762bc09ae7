package write_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// TestMain gives git an empty home directory, so that the user's own settings do
// not reach the tests.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		home, err := os.MkdirTemp("", "cairn-write-home-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(home)
		os.Setenv("HOME", home)
		os.Setenv("XDG_CONFIG_HOME", home)
		return m.Run()
	}())
}

// repository is a guarded space in a git repository, with a.md and b.md committed.
type repository struct {
	*testing.T
	m     *writetest.Memory
	space *write.Space
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	root := filepath.Join(t.TempDir(), "kb")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := fsys.OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	r := &repository{T: t, m: writetest.New(t)}
	t.Cleanup(func() {
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	r.space = r.m.Space("kb", files)
	r.space.Root = root
	r.space.Policy.Guard.Commit = true
	r.git("init", "-q", "-b", "main")
	r.git("config", "user.name", "Ada")
	r.git("config", "user.email", "ada@example.org")
	r.m.Apply(request(put(r.space, "a.md", "# A\n\n[b](b.md)\n"), put(r.space, "b.md", "# B\n")))
	return r
}

func (r *repository) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.space.Root
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

func (r *repository) hook(name, script string) {
	r.Helper()
	at := filepath.Join(r.space.Root, ".git", "hooks", name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		r.Fatal(err)
	}
	fsystest.WriteProgram(r, at, "#!/bin/sh\n"+script)
}

func (r *repository) recover() {
	r.Helper()
	r.m.Reopen()
	_, err := r.m.Writer.Recover(r.Context(), func(context.Context, int64) (*write.Space, error) { return r.space, nil })
	if err != nil {
		r.Fatal(err)
	}
	if n := r.m.Pending(); n != 0 {
		r.Errorf("%d journal entries are left", n)
	}
}

func (r *repository) is(what, got, want string) {
	r.Helper()
	if got != want {
		r.Errorf("%s: %q, want %q", what, got, want)
	}
}

// agrees checks that git, files and pages say the same.
func (r *repository) agrees() {
	r.Helper()
	r.is("status", r.git("status", "--porcelain"), "")
	r.git("fsck", "--strict")
	for path, p := range r.m.Pages(r.space) {
		r.is(path, fsystest.Get(r.T, r.space.Files, path), r.m.Bytes(p))
	}
	r.is("number of files", strings.Join(strings.Fields(r.git("ls-files")), " "), strings.Join(paths(r.m.Pages(r.space)), " "))
}

func paths(pages map[string]kb.Page) []string {
	all := map[string]string{}
	for path := range pages {
		all[path] = ""
	}
	return documents(all)
}

func TestStoppedWriteIsOneCommitOrNone(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	step := slowtest.Step(4)
	for _, op := range []operation{
		{"put new", func(s *write.Space) []write.Change { return []write.Change{put(s, "n/new.md", "new\n")} }},
		{"edit two", func(s *write.Space) []write.Change {
			return []write.Change{edit(s, "a.md", doc.Append{Text: "x\n"}), edit(s, "b.md", doc.Append{Text: "y\n"})}
		}},
		{"move with links", func(s *write.Space) []write.Change {
			return []write.Change{{Space: s, Path: "b.md", Action: write.Move{To: "e/b2.md"}}}
		}},
		{"delete", func(s *write.Space) []write.Change {
			return []write.Change{{Space: s, Path: "a.md", Action: write.Delete{}}}
		}},
	} {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			var commits, none int
			for n := 1; ; n += step {
				r := newRepository(t)
				at := 0
				r.m.Writer.Step = func(write.Step) error {
					if at++; at == n {
						return errors.New("killed")
					}
					return nil
				}
				_, err := r.m.Writer.Apply(t.Context(), request(op.changes(r.space)...))
				r.recover()
				r.agrees()
				switch r.git("rev-list", "--count", "HEAD") {
				case "1":
					none++
				case "2":
					commits++
				default:
					t.Errorf("stop %d: commits are %s", n, r.git("log", "--oneline"))
				}
				if err == nil {
					break
				}
			}
			if commits == 0 || none == 0 || step == 1 && min(commits, none) < 3 {
				t.Errorf("%d stops with a commit, %d without", commits, none)
			}
		})
	}
}

// A process dies between the move of the branch and the end of the write: the commit is
// not made again.
func TestCommitIsMadeOnce(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.m.Writer.Step = func(s write.Step) error {
		if s == write.StepIndex {
			return errors.New("killed")
		}
		return nil
	}
	if _, err := r.m.Writer.Apply(t.Context(), request(edit(r.space, "a.md", doc.Append{Text: "x\n"}))); err == nil {
		t.Fatal("it was not stopped")
	}
	head := r.git("rev-parse", "HEAD")
	r.recover()
	r.is("HEAD", r.git("rev-parse", "HEAD"), head)
	r.agrees()
}

func TestHookTakesWriteBack(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		script   string
		versions int // of a.md: what the hook, or an editor in that instant, has put there is kept
	}{
		"says no":               {"echo no tabs; exit 1", 1},
		"reformats and says no": {"echo reformatted > a.md; echo no tabs; exit 1", 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.hook("pre-commit", tc.script)
			_, err := r.m.Writer.Apply(t.Context(), request(edit(r.space, "a.md", doc.Append{Text: "x\n"}), put(r.space, "c.md", "c\n")))
			if e := kb.AsError(err); err == nil || e.Code != kb.Refused || !strings.Contains(e.Error(), "no tabs") {
				t.Errorf("err = %v", err)
			}
			r.agrees()
			r.is("commits", r.git("rev-list", "--count", "HEAD"), "1")
			if n := r.m.Pending(); n != 0 {
				t.Errorf("%d journal entries are left", n)
			}
			if v := r.m.Versions(r.space, r.m.Pages(r.space)["a.md"].ID); len(v) != tc.versions {
				t.Errorf("there are %d versions, not %d", len(v), tc.versions)
			}
		})
	}
}

// A new file that a hook has made another one, or an editor, is not removed.
func TestHookLeavesWhatItMadeOfANewFile(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.hook("pre-commit", "echo other > c.md; exit 1")
	_, err := r.m.Writer.Apply(t.Context(), request(put(r.space, "c.md", "c\n")))
	if e := kb.AsError(err); err == nil || !strings.Contains(e.Hint, "c.md") || strings.Contains(e.Hint, "Nothing was changed") {
		t.Errorf("err = %v", err)
	}
	r.is("c.md", fsystest.Get(t, r.space.Files, "c.md"), "other\n")
	if n := r.m.Pending(); n != 0 {
		t.Errorf("%d journal entries are left", n)
	}
}

// A hook says no to a commit that is made for a process that died.
func TestHookTakesRecoveredWriteBack(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.m.Writer.Step = func(s write.Step) error {
		if s == write.StepCommit {
			return errors.New("killed")
		}
		return nil
	}
	if _, err := r.m.Writer.Apply(t.Context(), request(edit(r.space, "a.md", doc.Append{Text: "x\n"}))); err == nil {
		t.Fatal("it was not stopped")
	}
	r.hook("pre-commit", "exit 1")
	r.recover()
	r.agrees()
	r.is("commits", r.git("rev-list", "--count", "HEAD"), "1")
}

func TestHookRewritesTheVersion(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.hook("pre-commit", "tr a-z A-Z < a.md > t && mv t a.md && git add a.md")
	res := r.m.Apply(request(edit(r.space, "a.md", doc.Append{Text: "x\n"})))
	r.is("answer", string(res.Pages[0].New), "# A\n\n[B](B.MD)\n\nX\n")
	r.agrees()
	if v := r.m.Versions(r.space, res.Pages[0].Page.ID); len(v) != 2 {
		t.Errorf("there are %d versions, not 2", len(v))
	}
}

// What cannot be committed now is committed with the next write, each write by itself.
func TestHeldWrites(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.git("config", "user.useConfigOnly", "true")
	r.git("config", "--unset", "user.email")
	for range 2 {
		res := r.m.Apply(request(edit(r.space, "a.md", doc.Append{Text: "x\n"})))
		if notes := strings.Join(res.Pages[0].Notes, " "); !strings.Contains(notes, "not committed yet") {
			t.Errorf("the answer says %q", notes)
		}
	}
	r.is("commits", r.git("rev-list", "--count", "HEAD"), "1")
	r.git("config", "user.email", "ada@example.org")
	res := r.m.Apply(request(edit(r.space, "b.md", doc.Append{Text: "y\n"})))
	if len(res.Pages[0].Notes) != 0 {
		t.Errorf("the answer says %q", res.Pages[0].Notes)
	}
	r.is("commits", r.git("rev-list", "--count", "HEAD"), "4")
	r.agrees()
}

// The user commits what waits: it is not put back to older bytes later.
func TestHeldWriteThatTheUserCommits(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.git("config", "user.useConfigOnly", "true")
	r.git("config", "--unset", "user.email")
	r.m.Apply(request(edit(r.space, "a.md", doc.Append{Text: "x\n"})))
	r.git("config", "user.email", "ada@example.org")
	if err := os.WriteFile(filepath.Join(r.space.Root, "a.md"), []byte("later\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.git("commit", "-q", "-a", "-m", "mine")
	n, err := r.m.Writer.CommitPending(t.Context(), r.space)
	if n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	r.is("a.md", r.git("show", "HEAD:a.md"), "later")
	r.is("commits", r.git("rev-list", "--count", "HEAD"), "2")
}
