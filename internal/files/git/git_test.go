package git_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// TestMain gives git an empty home directory, so that the user's own settings do
// not reach the tests.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		home, err := os.MkdirTemp("", "cairn-git-home-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(home)
		os.Setenv("HOME", home)
		os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
		return m.Run()
	}())
}

// bed is a repository with one commit, of a.md and b.md.
type bed struct {
	t    *testing.T
	top  string
	tree *git.Tree
}

func newBed(t *testing.T) *bed {
	t.Helper()
	dir := t.TempDir()
	b := &bed{t: t, top: filepath.Join(dir, "repo")}
	b.git0(dir, "init", "-q", "-b", "main", b.top)
	b.git("config", "user.name", "Ada")
	b.git("config", "user.email", "ada@example.org")
	b.tree = &git.Tree{Dir: b.top}
	b.write("a.md", "a\n")
	b.write("b.md", "b\n")
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "first")
	return b
}

func (b *bed) git0(dir string, args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

func (b *bed) git(args ...string) string { b.t.Helper(); return b.git0(b.top, args...) }

func (b *bed) write(name, text string) {
	b.t.Helper()
	at := filepath.Join(b.top, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) hook(name, script string) {
	b.t.Helper()
	at := filepath.Join(b.top, ".git", "hooks", name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		b.t.Fatal(err)
	}
	fsystest.WriteProgram(b.t, at, "#!/bin/sh\n"+script)
}

func (b *bed) open() *git.Repo {
	b.t.Helper()
	r, err := b.tree.Open(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// put writes files and commits them as a write does.
func (b *bed) put(files ...string) (*git.Committed, error) {
	b.t.Helper()
	c := git.Commit{Token: "t1", Subject: "put", Trailers: []git.Trailer{{Key: "Cairn-Actor", Value: "human"}}}
	r := b.open()
	var paths []string
	for i := 0; i < len(files); i += 2 {
		paths = append(paths, files[i])
		c.Changes = append(c.Changes, git.Change{Path: files[i], New: []byte(files[i+1])})
	}
	s, err := b.tree.Check(b.t.Context(), r, paths)
	if err != nil {
		return nil, err
	}
	c.Base = s.Head
	for i := 0; i < len(files); i += 2 {
		at, err := filepath.Rel(b.top, filepath.Join(b.tree.Dir, files[i]))
		if err != nil {
			b.t.Fatal(err)
		}
		b.write(at, files[i+1])
	}
	return b.tree.Commit(b.t.Context(), r, c)
}

// A file that changed just after it was staged is changed for git after a commit of others, though
// it has the size and the time that the index knows.
func TestCommitKeepsWhatChangedAsItWasStaged(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "4"} { // git revises the other
		b := newBed(t)
		b.git("config", "core.trustctime", "false")
		b.git("update-index", "--index-version", version)
		at := time.Unix(1_600_000_000, 0)
		set := func(name string) {
			if err := os.Chtimes(filepath.Join(b.top, name), at, at); err != nil {
				t.Fatal(err)
			}
		}
		b.write("b.md", "b1\n")
		set("b.md")
		b.git("add", "b.md")
		b.write("b.md", "b2\n")
		set("b.md")
		set(".git/index")
		b.mustPut("a.md", "a1\n")
		if got := b.git("status", "--porcelain"); got != "MM b.md" {
			t.Errorf("index version %s: %q", version, got)
		}
	}
}

func (b *bed) mustPut(files ...string) *git.Committed {
	b.t.Helper()
	done, err := b.put(files...)
	if err != nil {
		b.t.Fatal(err)
	}
	return done
}

func (b *bed) is(what, got, want string) {
	b.t.Helper()
	if got != want {
		b.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestCommitIsOfExactlyThePaths(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("staged.md", "staged\n")
	b.git("add", "staged.md")
	b.write("b.md", "dirty\n")
	b.write("loose.md", "loose\n")
	done := b.mustPut("a.md", "a2\n", "dir/new.md", "new\n")
	b.is("HEAD", b.git("rev-parse", "HEAD"), done.ID)
	b.is("paths", b.git("diff-tree", "--no-commit-id", "--name-only", "-r", "HEAD"), "a.md\ndir/new.md")
	b.is("status", b.git("status", "--porcelain"), " M b.md\nA  staged.md\n?? loose.md")
	b.is("trailers", b.git("log", "-1", "--format=%(trailers:only)"), "Cairn-Write: t1\nCairn-Actor: human")
	// (a) the next commit of the user does not bring the old text back.
	b.git("commit", "-q", "-m", "mine")
	b.is("after the user's commit", b.git("show", "HEAD:a.md")+b.git("show", "HEAD:staged.md"), "a2staged")
	if left, _ := filepath.Glob(filepath.Join(b.top, ".git", "cairn", "*")); len(left) != 0 {
		t.Errorf("left in .git: %v", left)
	}
	b.git("fsck", "--strict")
}

// (b) A commit that somebody makes meanwhile is not reverted.
func TestCommitKeepsWhatOthersCommitted(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.hook("pre-commit", `[ -f .git/once ] && exit 0
touch .git/once
unset GIT_INDEX_FILE
echo other > b.md; git commit -q -m other -- b.md`)
	b.mustPut("a.md", "a2\n")
	b.is("both", b.git("show", "HEAD:a.md")+b.git("show", "HEAD:b.md"), "a2other")
	b.is("status", b.git("status", "--porcelain"), "")
	b.is("commits", b.git("rev-list", "--count", "HEAD"), "3")
}

// What another has committed at the same path is not overwritten.
func TestCommitStopsWhereTheBranchMoved(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	r := b.open()
	base := b.git("rev-parse", "HEAD")
	b.write("a.md", "other\n")
	b.git("commit", "-q", "-a", "-m", "other")
	_, err := b.tree.Commit(t.Context(), r, git.Commit{Base: base, Subject: "put", Changes: []git.Change{{Path: "a.md", New: []byte("a2\n")}}})
	if !errors.Is(err, git.ErrMoved) {
		t.Errorf("err = %v", err)
	}
	b.is("a.md", b.git("show", "HEAD:a.md"), "other")
}

// A git checkout writes the files, then the index, then HEAD. A commit that falls between the
// last two is not made on either branch: the file in place is that of the other one.
func TestCommitWhileCheckoutEnds(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.git("branch", "side")
	b.write("a.md", "on main\n")
	b.git("commit", "-q", "-a", "-m", "main moves")
	main := b.git("rev-parse", "main")
	b.hook("pre-commit", `unset GIT_INDEX_FILE
git show side:a.md > a.md
git read-tree side
(sleep .1; git symbolic-ref HEAD refs/heads/side) >/dev/null 2>&1 </dev/null &
`)
	_, err := b.put("a.md", "ours\n")
	if !errors.Is(err, git.ErrMoved) {
		t.Errorf("a commit while a checkout ends: %v, want %v", err, git.ErrMoved)
	}
	b.is("main", b.git("rev-parse", "main"), main)
	b.is("status of side", b.git("status", "--porcelain"), "")
	// The branches have the same files where the commit has its own: it is made on the new one.
	b.git("checkout", "-q", "main")
	b.git("branch", "-f", "side")
	b.write("other.md", "only on main\n")
	b.git("add", "other.md")
	b.git("commit", "-q", "--no-verify", "-m", "main moves again")
	main = b.git("rev-parse", "main")
	b.hook("pre-commit", `[ -f .git/once ] && exit 0
touch .git/once
unset GIT_INDEX_FILE
rm other.md
git read-tree side
(sleep .1; git symbolic-ref HEAD refs/heads/side) >/dev/null 2>&1 </dev/null &
`)
	b.mustPut("a.md", "ours\n")
	b.is("main", b.git("rev-parse", "main"), main)
	b.is("a.md of side", b.git("show", "side:a.md"), "ours")
	b.is("status of side", b.git("status", "--porcelain"), "")
	// Other files that a person stages meanwhile stay staged.
	b.hook("pre-commit", "[ -f .git/twice ] && exit 0\ntouch .git/twice\nunset GIT_INDEX_FILE\necho theirs > c.md\ngit add c.md\n")
	b.mustPut("a.md", "ours again\n")
	b.is("status with a staged file", b.git("status", "--porcelain"), "A  c.md")
	// One that a person staged is no checkout.
	b.hook("pre-commit", "unset GIT_INDEX_FILE\necho theirs > b.md\ngit add b.md\n")
	if _, err := b.put("b.md", "ours\n"); kb.CodeOf(err) != kb.Conflict || errors.Is(err, git.ErrMoved) {
		t.Errorf("a commit of a file that was staged meanwhile: %v, want a conflict", err)
	}
}

// (c) A merge that a person has begun is not concluded. (d) What an editor wrote since
// is not committed.
func TestCheckRefusesWhatCannotBeCommittedAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		do     func(b *bed)
		reason kb.Reason
	}{
		{"merge", func(b *bed) {
			b.git("checkout", "-q", "-b", "side")
			b.write("b.md", "side\n")
			b.git("commit", "-q", "-a", "-m", "side")
			b.git("checkout", "-q", "main")
			b.git("merge", "-q", "--no-ff", "--no-commit", "side")
		}, kb.GitUnderway},
		{"detached", func(b *bed) { b.git("checkout", "-q", "--detach") }, kb.GitDetached},
		{"bisect", func(b *bed) { b.git("bisect", "start") }, kb.GitUnderway},
		{"staged", func(b *bed) { b.write("a.md", "mine\n"); b.git("add", "a.md") }, kb.GitStaged},
		{"ignored", func(b *bed) {
			b.git("rm", "-q", "a.md")
			b.git("commit", "-qm", "x")
			b.write(".git/info/exclude", "a.md\n")
		}, kb.GitIgnored},
		{"sparse", func(b *bed) {
			b.git("sparse-checkout", "set", "--no-cone", "/b.md")
		}, kb.GitSparse},
		{"Emacs", func(b *bed) {
			if err := os.Symlink("ada@host.1:2", filepath.Join(b.top, ".#a.md")); err != nil {
				b.t.Fatal(err)
			}
		}, kb.UnsavedEdits},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBed(t)
			c.do(b)
			before := b.git("rev-parse", "HEAD")
			_, err := b.put("a.md", "a2\n")
			if e := kb.AsError(err); err == nil || e.Code != kb.Conflict || e.Reason != c.reason {
				t.Errorf("err = %v", err)
			}
			b.is("HEAD", b.git("rev-parse", "HEAD"), before)
		})
	}
}

func TestCommitIsOfTheCheckedBytes(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.hook("pre-commit", "echo later > a.md") // as an editor would, and not staged
	b.mustPut("a.md", "a2\n")
	b.is("committed", b.git("show", "HEAD:a.md"), "a2")
	b.is("status", b.git("status", "--porcelain"), " M a.md")
}

func TestHooks(t *testing.T) {
	// Serial: it measures time.
	b := newBed(t)
	b.write("b.md", "dirty\n")
	b.hook("pre-commit", `echo "no tabs please"; exit 3`)
	_, err := b.put("a.md", "a2\n")
	var no *git.Refusal
	if !errors.As(err, &no) || no.Hook != "pre-commit" || no.Said != "no tabs please" {
		t.Errorf("err = %v", err)
	}
	// One that reformats, and stages all it finds.
	b.hook("pre-commit", `for f in $(git diff --cached --name-only); do tr a-z A-Z < $f > t && mv t $f; done; git add -A`)
	done := b.mustPut("a.md", "a3\n")
	b.is("rewritten", string(done.Rewritten["a.md"]), "A3\n")
	b.is("committed", b.git("show", "HEAD:a.md")+b.git("show", "HEAD:b.md"), "A3b")
	b.is("status", b.git("status", "--porcelain"), " M b.md")
	// One that stashes what is not staged.
	b.hook("pre-commit", `git stash push -q --keep-index -u && [ "$(cat b.md)" = b ] && git stash pop -q`)
	b.mustPut("a.md", "a4\n")
	b.is("status", b.git("status", "--porcelain"), " M b.md")
	b.is("b.md", b.git("diff", "--stat", "HEAD", "--", "b.md"), " b.md | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)")
	b.hook("pre-commit", "")
	b.hook("commit-msg", `echo "Reviewed: yes" > $1`)
	b.mustPut("a.md", "a5\n")
	b.is("message", b.git("log", "-1", "--format=%B"), "Reviewed: yes\n\nCairn-Write: t1\nCairn-Actor: human")
	b.hook("commit-msg", "sleep 60")
	b.tree.Limits.Hook = 100 * time.Millisecond
	begin := time.Now()
	if _, err := b.put("a.md", "a6\n"); !errors.Is(err, git.ErrTimeout) {
		t.Errorf("a hanging hook: %v", err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
}

// A process that dies leaves a lock that is known as ours, whenever it dies: it has its
// mark from the first moment.
func TestTheLockIsNeverWithoutItsMark(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	done, looks := make(chan struct{}), make(chan string, 1)
	stop := sync.OnceFunc(func() { close(done) })
	defer stop()
	go func() {
		wrong := ""
		for {
			select {
			case <-done:
				looks <- wrong
				return
			default:
			}
			if text, err := os.ReadFile(filepath.Join(b.top, ".git", "index.lock")); err == nil && string(text) != "locked by cairn\n" {
				wrong = fmt.Sprintf("%q", text)
			}
		}
	}()
	for i := range slowtest.Count(5, 20) {
		if _, err := b.put("a.md", fmt.Sprintf("a%d\n", i)); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if wrong := <-looks; wrong != "" {
		t.Errorf("the lock of the index was %s", wrong)
	}
}

func TestWhatCannotBeCommittedNow(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	head := b.git("rev-parse", "HEAD")
	b.tree.Limits.Lock = 50 * time.Millisecond
	b.write(".git/index.lock", "")
	if _, err := b.put("a.md", "a2\n"); !errors.Is(err, git.ErrTimeout) {
		t.Errorf("with a lock: %v", err)
	}
	b.is("the lock stays", b.git("rev-parse", "HEAD"), head)
	if _, err := os.Stat(filepath.Join(b.top, ".git", "index.lock")); err != nil {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(b.top, ".git", "index.lock")); err != nil {
		t.Fatal(err)
	}
	b.git("config", "--unset", "user.email")
	b.git("config", "user.useConfigOnly", "true")
	var f *git.Failure
	if _, err := b.put("a.md", "a3\n"); !errors.As(err, &f) {
		t.Errorf("without an identity: %v", err)
	}
	b.is("HEAD", b.git("rev-parse", "HEAD"), head)
	b.tree.Program = "no-such-git"
	if _, err := b.tree.Open(t.Context()); !errors.Is(err, git.ErrMissing) {
		t.Errorf("without git: %v", err)
	}
	if _, err := (&git.Tree{Dir: t.TempDir()}).Open(t.Context()); !errors.Is(err, git.ErrNoRepository) {
		t.Errorf("without a repository: %v", err)
	}
	bare := filepath.Join(t.TempDir(), "bare")
	b.git0(b.top, "init", "-q", "--bare", bare)
	if _, err := (&git.Tree{Dir: bare}).Open(t.Context()); !errors.Is(err, git.ErrNoRepository) {
		t.Errorf("bare: %v", err)
	}
}

func TestPlacesWhereCommitsWork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(b *bed)
	}{
		{"subdirectory", func(b *bed) { b.write("sub/x.md", "x"); b.tree.Dir = filepath.Join(b.top, "sub") }},
		{"worktree", func(b *bed) {
			b.git("worktree", "add", "-q", "../other")
			b.tree.Dir = filepath.Join(filepath.Dir(b.top), "other")
			b.top = b.tree.Dir
		}},
		{"worktree settings", func(b *bed) { b.git("config", "extensions.worktreeConfig", "true") }},
		{"clone", func(b *bed) {
			b.git0(filepath.Dir(b.top), "clone", "-q", b.top, "second")
			b.top = filepath.Join(filepath.Dir(b.top), "second")
			b.tree.Dir = b.top
			b.git("config", "user.name", "Ada")
			b.git("config", "user.email", "ada@example.org")
		}},
		{"split index", func(b *bed) { b.git("update-index", "--split-index") }},
		{"before the first commit", func(b *bed) {
			b.top = filepath.Join(filepath.Dir(b.top), "fresh")
			b.git0(filepath.Dir(b.top), "init", "-q", b.top)
			b.tree.Dir = b.top
			b.git("config", "user.name", "Ada")
			b.git("config", "user.email", "ada@example.org")
		}},
		{"odd names", func(*bed) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBed(t)
			c.do(b)
			name := "a.md"
			if c.name == "odd names" {
				name = ":(glob)* \"é.md"
			}
			b.mustPut(name, "one\r\ntwo\n", "d/"+name, "x\n")
			b.is("committed", b.git0(b.tree.Dir, "show", "HEAD:./"+name), "one\r\ntwo")
			b.is("status", b.git("status", "--porcelain", "--untracked-files=no"), "")
			b.git("fsck", "--strict")
		})
	}
}

func TestFiltersAreThoseOfThePath(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("sub/.gitattributes", "*.md text eol=crlf\n")
	b.git("add", "-A")
	b.git("commit", "-qm", "attributes")
	b.tree.Dir = filepath.Join(b.top, "sub")
	b.mustPut("a.md", "one\r\n")
	b.is("blob", b.git("cat-file", "-p", "HEAD:sub/a.md"), "one")
	b.is("status", b.git("status", "--porcelain"), "")
	b.hook("pre-commit", `printf 'two\r\n' > sub/a.md; git add sub/a.md`)
	done := b.mustPut("a.md", "three\r\n")
	b.is("rewritten", string(done.Rewritten["a.md"]), "two\r\n")
}

func TestEnvironmentOfAHookIsNotOurs(t *testing.T) {
	// Serial: it sets environment variables.
	b := newBed(t)
	other := filepath.Join(t.TempDir(), "other")
	b.git0(b.top, "init", "-q", other)
	for _, name := range []string{"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"} {
		t.Setenv(name, filepath.Join(other, ".git"))
	}
	done, err := b.put("a.md", "a2\n")
	for _, name := range []string{"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"} {
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	b.is("HEAD", b.git("rev-parse", "HEAD"), done.ID)
}

// A monitor is a program that the repository names.
func TestNoMonitorIsRun(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write(".git/monitor", "#!/bin/sh\ntouch .git/ran\n")
	if err := os.Chmod(filepath.Join(b.top, ".git/monitor"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.git("config", "core.fsmonitor", ".git/monitor")
	b.mustPut("a.md", "a2\n")
	if _, err := os.Stat(filepath.Join(b.top, ".git/ran")); err == nil {
		t.Error("the monitor ran")
	}
}

// The index knows of a commit whose cairn died before it said so, also where the space is a
// directory of the repository; what a person has staged stays staged.
func TestSettle(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"", "sub", " late", "sub late"} {
		dir, late := strings.CutSuffix(of, " late")
		b := newBed(t)
		for _, name := range []string{"a.md", "new.md"} {
			b.write(filepath.Join(dir, name), "a2\n")
		}
		b.write(filepath.Join(dir, "staged.md"), "s\n")
		b.git("add", filepath.Join(dir, "staged.md"))
		tree := &git.Tree{Dir: filepath.Join(b.top, dir)}
		r, err := tree.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c := git.Commit{Base: b.git("rev-parse", "HEAD"), Token: "t1", Subject: "s", Changes: []git.Change{{Path: "a.md", New: []byte("a2\n")}, {Path: "new.md", New: []byte("a2\n")}}}
		// It ends as if the process died just after the branch moved.
		dies := *tree
		dies.Program = filepath.Join(t.TempDir(), "git")
		script := "#!/bin/sh\ngit \"$@\"; s=$?\ncase \" $* \" in *' update-ref '*) rm " + filepath.Join(b.top, ".git/cairn") + "/commit-*-next;; esac\nexit $s\n"
		fsystest.WriteProgram(t, dies.Program, script)
		if _, err := dies.Commit(t.Context(), r, c); err == nil {
			t.Fatal("it did not end")
		}
		b.write(".git/index.lock", "locked by cairn\n")
		id, err := tree.Find(t.Context(), c.Base, b.git("rev-parse", "HEAD"), "t1")
		if err != nil || id != b.git("rev-parse", "HEAD") {
			t.Errorf("found %q, %v", id, err)
		}
		want := "A  " + filepath.ToSlash(filepath.Join(dir, "staged.md"))
		if got := b.git("status", "--porcelain"); got == want {
			t.Error("the index knows of the commit before it is settled: nothing is shown")
		}
		if late { // it moved the branch after somebody had settled: that changed nothing
			if err := os.Remove(filepath.Join(b.top, ".git/cairn/pending")); err != nil {
				t.Fatal(err)
			}
			if done, err := tree.Commit(t.Context(), r, c); err != nil || done.ID != id {
				t.Errorf("the commit is made again: %+v, %v", done, err)
			}
		}
		for range 2 {
			if err := tree.Settle(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		b.is("status", b.git("status", "--porcelain"), want)
	}
}

// oneChange writes a file, and returns the commit of it.
func (b *bed) oneChange() (*git.Repo, git.Commit) {
	b.t.Helper()
	b.write("a.md", "a2\n")
	r, err := b.tree.Open(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return r, git.Commit{Base: b.git("rev-parse", "HEAD"), Token: "t1", Subject: "s", Changes: []git.Change{{Path: "a.md", New: []byte("a2\n")}}}
}

// The lock of the repository holds while commits are made under it: a file that was removed
// would be locked by everybody.
func TestCommitsKeepTheLock(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	r, c := b.oneChange()
	unlock, err := r.Lock(t.Context(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(filepath.Join(b.top, ".git/cairn/lock"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.tree.Commit(t.Context(), r, c); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(filepath.Join(b.top, ".git/cairn/lock"))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the file that is locked was removed: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}

// A git whose cairn was killed goes on for a while, and writes to the index of a commit that
// nobody makes any more: the next commit has an index of its own.
func TestCommitsBesideAnOrphan(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.git("update-index", "--index-version", "4") // which git revises
	r, c := b.oneChange()
	// Between any two steps of the commit the orphan locks, writes and unlocks what it was
	// given: the files that the first run of git was given.
	orphan := filepath.Join(t.TempDir(), "given")
	program := func(name, script string) string {
		t.Helper()
		name = filepath.Join(t.TempDir(), name)
		fsystest.WriteProgram(t, name, "#!/bin/sh\n"+script)
		return name
	}
	dies := *b.tree
	dies.Program = program("git", "case \" $* \" in *' update-index '*) echo \"$GIT_INDEX_FILE\" > "+orphan+"; exit 1;; esac\nexec git \"$@\"\n")
	if _, err := dies.Commit(t.Context(), r, c); err == nil {
		t.Fatal("it did not end")
	}
	goesOn := *b.tree
	goesOn.Program = program("git", "f=$(cat "+orphan+")\necho garbage > \"$f.lock\"; mv \"$f.lock\" \"$f\"; : > \"$f.lock\"\nexec git \"$@\"\n")
	if _, err := goesOn.Commit(t.Context(), r, c); err != nil {
		t.Fatal(err)
	}
	b.is("what is committed", b.git("show", "HEAD:a.md"), "a2")
	if left, err := filepath.Glob(filepath.Join(b.top, ".git/cairn/commit-*")); err != nil || len(left) > 2 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
