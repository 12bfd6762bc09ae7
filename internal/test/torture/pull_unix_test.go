//go:build unix

package torture

import (
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

var killSteps = flag.Int("torture.kill-steps", 5, "a pull is killed after each call of git of so many; 1 is all")

// clones are two clones of a guarded space, kb and other, with memories of their own.
type clones struct {
	env     []string // of processes in home
	t       *testing.T
	home    string
	program string
}

// newClones begins them with two pages that both have.
func newClones(t *testing.T) *clones {
	t.Helper()
	c := &clones{t: t, program: cairntest.Binary(t)}
	c.home, c.env = ownGitHome(t)
	c.git(".", "init", "-q", "--bare", "-b", "main", "remote")
	c.cairn("mine", "space", "add", "--preset", "guarded", "kb", "--name", "kb", "--init", "--remote", "./remote")
	for _, slug := range []string{"first", "second"} {
		c.cairn("mine", "capture", "Text of "+slug+".", "--title", slug, "--summary", "A page.", "--stable")
	}
	c.cairn("mine", "push")
	c.git(".", "clone", "-q", "remote", "other")
	c.cairn("other", "space", "add", "other", "--name", "kb", "--accept")
	return c
}

// command is a run of cairn with one of the memories.
func (c *clones) command(memory string, args ...string) *exec.Cmd {
	cmd := exec.Command(c.program, args...)
	cmd.Dir = c.home
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Env = append(cmd.Env, "CAIRN_DB="+filepath.Join(c.home, memory+".db"), "CAIRN_SPACE=kb", "XDG_STATE_HOME="+filepath.Join(c.home, "state"))
	return cmd
}

func (c *clones) cairn(memory string, args ...string) string {
	c.t.Helper()
	out, err := c.command(memory, args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("cairn %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// git runs git in a directory of the home.
func (c *clones) git(dir string, args ...string) string {
	c.t.Helper()
	return gitWith(c.t, append(os.Environ(), c.env...), filepath.Join(c.home, dir), args...)
}

func (c *clones) kb(args ...string) string {
	c.t.Helper()
	return c.git("kb", args...)
}

// pages are the bytes of the documents of kb.
func (c *clones) pages() map[string]string {
	c.t.Helper()
	out := map[string]string{}
	names, err := filepath.Glob(filepath.Join(c.home, "kb", "*.org"))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			c.t.Fatal(err)
		}
		out[filepath.Base(name)] = string(text)
	}
	return out
}

// wrap puts a git on the PATH that kills whoever has called it, once it has done the call
// of a number, 0 for none. It returns what the environment says that, and how many calls
// there were since.
func (c *clones) wrap() (env func(kill int) []string, called func() int) {
	c.t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		c.t.Fatal(err)
	}
	dir := c.t.TempDir()
	// Calls go on at the same time: each takes a number that no other has.
	script := "#!/bin/sh\nn=1; until mkdir " + dir + "/calls/$n 2>/dev/null; do n=$((n + 1)); done\n" + real + " \"$@\"; s=$?\n[ $n = \"$KILL_AFTER\" ] && kill -9 $PPID\nexit $s\n"
	writeFile(c.t, filepath.Join(dir, "git"), script)
	if err := os.Chmod(filepath.Join(dir, "git"), 0o755); err != nil {
		c.t.Fatal(err)
	}
	calls := filepath.Join(dir, "calls")
	env = func(kill int) []string {
		if err := errors.Join(os.RemoveAll(calls), os.Mkdir(calls, 0o755)); err != nil {
			c.t.Fatal(err)
		}
		return []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH"), "KILL_AFTER=" + strconv.Itoa(kill)}
	}
	called = func() int {
		all, err := os.ReadDir(calls)
		if err != nil {
			c.t.Fatal(err)
		}
		return len(all)
	}
	return env, called
}

// A pull is killed after each of its calls of git: what is in the files is what was there or
// what comes, nothing of the person's is touched, and the next pull brings in the whole.
func TestKilledPulls(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "pulls are killed after their calls of git")
	for name, ahead := range map[string]bool{"fast-forward": false, "merge": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClones(t)
			if ahead {
				c.cairn("mine", "edit", "first", "--find", "Text of", "--replace-with", "Mine of")
				c.cairn("mine", "mv", "second", "moved")
			}
			c.cairn("other", "edit", "first", "--append", "Theirs.")
			c.cairn("other", "edit", "second", "--append", "Theirs, too.")
			c.cairn("other", "capture", "New.", "--title", "third", "--summary", "A page.", "--stable")
			c.cairn("other", "push")
			writeFile(t, filepath.Join(c.home, "kb", "draft.txt"), "a draft\n")
			writeFile(t, filepath.Join(c.home, "kb", "staged.txt"), "staged\n")
			c.kb("add", "staged.txt")
			before := c.pages()
			saved := filepath.Join(t.TempDir(), "saved")
			copyTree(t, c.home, saved)
			c.cairn("mine", "pull")
			after, tree := c.pages(), c.kb("rev-parse", "HEAD^{tree}")
			env, _ := c.wrap()
			step := killStep(*killSteps)
			for n := 1 + rand.New(rand.NewPCG(*seed, 0)).IntN(step); ; n += step {
				if err := os.RemoveAll(c.home); err != nil {
					t.Fatal(err)
				}
				copyTree(t, saved, c.home)
				pull := c.command("mine", "pull")
				pull.Env = append(pull.Env, env(n)...)
				out, err := pull.CombinedOutput()
				var exit *exec.ExitError
				killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled()
				if err != nil && !killed {
					t.Fatalf("call %d: %v\n%s", n, err, out)
				}
				for name, text := range c.pages() {
					if text != before[name] && text != after[name] {
						t.Errorf("call %d: %s is neither as it was nor as it comes:\n%s", n, name, text)
					}
				}
				c.cairn("mine", "pull")
				if now := c.kb("rev-parse", "HEAD^{tree}"); now != tree {
					t.Errorf("call %d: what is committed differs:\n%s", n, c.kb("diff", "--stat", tree, now))
				}
				if got := c.kb("status", "--porcelain"); got != "A  staged.txt\n?? draft.txt" {
					t.Errorf("call %d: git status says\n%s", n, got)
				}
				if n := c.kb("rev-list", "--count", "--merges", "HEAD"); n != map[bool]string{true: "1", false: "0"}[ahead] {
					t.Errorf("there are %s merges", n)
				}
				c.cairn("mine", "index", "--check")
				if out := c.cairn("mine", "list"); !strings.Contains(out, "third") {
					t.Errorf("call %d: the index has not what came:\n%s", n, out)
				}
				c.kb("fsck", "--strict")
				if t.Failed() {
					return
				}
				if !killed {
					if t.Logf("a pull calls git %d times at most", n-1); n < 8 {
						t.Errorf("it was killed %d times only", (n-1)/step)
					}
					return
				}
			}
		})
	}
}

// copyTree copies a directory with its times, which git and cairn know files by.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-Rp", from, to).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, out)
	}
}
