package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
)

// behind is a bed whose branch lacks a commit of the one that it follows, which changes a.md,
// removes b.md and adds new.md.
func behind(t *testing.T) (b *bed, to string, differences map[string]git.Difference) {
	t.Helper()
	b = newBed(t)
	b.write(".gitignore", "secret.md\n")
	b.git("add", "-A")
	b.git("commit", "-qm", "ignore")
	b.git("checkout", "-q", "-b", "up")
	b.write("a.md", "theirs\n")
	b.write("new.md", "new\n")
	b.write("secret.md", "theirs\n")
	b.git("add", "-f", "-A", "secret.md", "a.md", "new.md")
	b.git("rm", "-q", "b.md")
	b.git("commit", "-q", "-m", "theirs")
	b.git("checkout", "-q", "main")
	b.git("branch", "-q", "--set-upstream-to=up")
	to, err := b.tree.Upstream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if differences, err = b.tree.Differences(t.Context(), "HEAD", to); err != nil {
		t.Fatal(err)
	}
	if len(differences) != 4 {
		t.Fatalf("the differences are %v", differences)
	}
	return b, to, differences
}

func TestFastForward(t *testing.T) {
	t.Parallel()
	b, to, differences := behind(t)
	b.write("c.md", "staged\n")
	b.git("add", "c.md")
	b.write("loose.md", "loose\n")
	b.hook("post-merge", "touch .git/ran")
	if err := b.tree.FastForward(t.Context(), b.open(), to, differences, true); err != nil {
		t.Fatal(err)
	}
	b.is("HEAD", b.git("rev-parse", "HEAD"), to)
	b.is("status", b.git("status", "--porcelain"), "A  c.md\n?? loose.md")
	if _, err := os.Stat(filepath.Join(b.top, ".git", "ran")); err == nil {
		t.Error("a hook ran that was to be skipped")
	}
}

// What somebody is at stays, and nothing else changes.
func TestFastForwardStopsWhereSomebodyIsAtAFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		do     func(b *bed)
		reason kb.Reason
	}{
		{"changed", func(b *bed) { b.write("a.md", "mine\n") }, kb.GitInTheWay},
		{"staged", func(b *bed) { b.write("a.md", "mine\n"); b.git("add", "a.md") }, kb.GitInTheWay},
		{"changed, and removed there", func(b *bed) { b.write("b.md", "mine\n") }, kb.GitInTheWay},
		{"not known to git", func(b *bed) { b.write("new.md", "mine\n") }, kb.GitInTheWay},
		{"ignored", func(b *bed) { b.write("secret.md", "mine\n") }, kb.GitInTheWay},
		{"Emacs", func(b *bed) {
			if err := os.Symlink("ada@host.1:2", filepath.Join(b.top, ".#a.md")); err != nil {
				b.t.Fatal(err)
			}
		}, kb.UnsavedEdits},
		{"merge", func(b *bed) { b.write(".git/MERGE_HEAD", b.git("rev-parse", "HEAD")+"\n") }, kb.GitUnderway},
		{"detached", func(b *bed) { b.git("checkout", "-q", "--detach") }, kb.GitDetached},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, to, differences := behind(t)
			c.do(b)
			head, status := b.git("rev-parse", "HEAD"), b.git("status", "--porcelain", "--ignored")
			err := b.tree.FastForward(t.Context(), b.open(), to, differences, false)
			if e := kb.AsError(err); e.Reason != c.reason {
				t.Errorf("err = %v", err)
			}
			b.is("HEAD", b.git("rev-parse", "HEAD"), head)
			b.is("status", b.git("status", "--porcelain", "--ignored"), status)
		})
	}
}

func TestLevel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state  git.State
		reason kb.Reason
	}{
		{git.State{Ahead: 2}, ""},
		{git.State{Behind: 2}, kb.GitBehind},
		{git.State{Ahead: 1, Behind: 2}, kb.GitDiverged},
	} {
		var reason kb.Reason
		if err := c.state.Level(); err != nil {
			reason = kb.AsError(err).Reason
		}
		if reason != c.reason {
			t.Errorf("%+v: %q, want %q", c.state, reason, c.reason)
		}
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	b, to, differences := behind(t)
	r := b.open()
	b.mustPut("mine.md", "mine\n")
	ours := b.git("rev-parse", "HEAD")
	b.write("b.md", "dirty\n")
	c := git.Commit{Subject: "pull", Trailers: []git.Trailer{{Key: "Cairn-Operation", Value: "pull"}}, Changes: []git.Change{{Path: "a.md", New: []byte("both\n")}}}
	entries := map[string]git.Entry{"a.md": differences["a.md"].To, "new.md": differences["new.md"].To}
	id, err := b.tree.Join(t.Context(), r, ours, to, entries, c)
	if err != nil {
		t.Fatal(err)
	}
	b.is("the branch stays", b.git("rev-parse", "HEAD"), ours)
	b.is("parents", b.git("log", "-1", "--format=%P", id), ours+" "+to)
	b.is("files", b.git("ls-tree", "-r", "--name-only", id), ".gitignore\na.md\nb.md\nmine.md\nnew.md")
	b.is("a.md", b.git("show", id+":a.md"), "both")
	b.hook("pre-merge-commit", "echo never; exit 1")
	var no *git.Refusal
	if _, err := b.tree.Join(t.Context(), r, ours, to, entries, c); !errors.As(err, &no) || no.Said != "never" {
		t.Errorf("err = %v", err)
	}
	b.is("status", b.git("status", "--porcelain"), " M b.md")
}

func TestCombine(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	r := b.open()
	for _, c := range []struct{ base, ours, theirs, want string }{
		{"1\n2\n3\n", "one\n2\n3\n", "1\n2\nthree\n", "one\n2\nthree\n"},
		{"1\n", "one\n", "uno\n", ""},
		{"a\x00", "b\x00", "c\x00", ""},
	} {
		got, ok, err := b.tree.Combine(t.Context(), r, []byte(c.base), []byte(c.ours), []byte(c.theirs))
		if err != nil || ok != (c.want != "") || string(got) != c.want {
			t.Errorf("%q, %t, %v; want %q", got, ok, err, c.want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(b.top, ".git", "cairn", "*")); len(left) != 0 {
		t.Errorf("left in .git: %v", left)
	}
}

// A remote that never answers is given up at its deadline, and what was started ends.
func TestFetchGivesUp(t *testing.T) {
	// Serial: it measures time.
	b := newBed(t)
	b.write("hang", "#!/bin/sh\necho $$ > pid\nsleep 60\n")
	if err := os.Chmod(filepath.Join(b.top, "hang"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.git("remote", "add", "origin", "ssh://example.invalid/x")
	b.git("config", "core.sshCommand", filepath.Join(b.top, "hang"))
	b.git("config", "branch.main.remote", "origin")
	b.git("config", "branch.main.merge", "refs/heads/main")
	b.tree.Limits.Fetch = 300 * time.Millisecond
	begin := time.Now()
	if err := b.tree.Fetch(t.Context(), "main", true); !errors.Is(err, git.ErrTimeout) {
		t.Errorf("err = %v", err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	if left, _ := filepath.Glob(filepath.Join(b.top, ".git", "*.lock")); len(left) != 0 {
		t.Errorf("left in .git: %v", left)
	}
}
