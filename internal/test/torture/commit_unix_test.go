//go:build unix

package torture

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// everyCall is the environment variable with which processes are killed after each of their
// calls of git. Without it they are after some.
const everyCall = "CAIRN_TORTURE_EVERY_CALL"

// killStep is how many calls of git lie between those after which a process is killed.
func killStep(sample int) int {
	if os.Getenv(everyCall) != "" {
		return 1
	}
	return sample
}

// capturesCalls is how many calls of git a capture makes at most, each a process.
const capturesCalls = 9

// guardedWrites are the kinds of writes to a guarded space with the pages first, second and
// third, of which the last links to the first. Each is one commit.
var guardedWrites = []struct {
	name    string
	args    []string
	outside bool // an editor wrote it before, and this commits it
}{
	{name: "capture", args: []string{"capture", "New text.", "--title", "new", "--summary", "A page.", "--stable"}},
	{name: "edit", args: []string{"edit", "first", "--append", "More."}},
	{name: "link", args: []string{"link", "first", "relates_to", "second"}},
	{name: "contest", args: []string{"contest", "first", "second", "--reason", "They differ."}},
	{name: "mv", args: []string{"mv", "first", "moved"}},
	{name: "rm", args: []string{"rm", "second"}},
	{name: "source add", args: []string{"source", "add", "--url", "https://example.org/x", "--file", "excerpt.txt"}},
	{name: "source add --full", args: []string{"source", "add", "--url", "https://example.org/x", "--file", "excerpt.txt", "--full"}},
	{name: "merge", args: []string{"curate", "merge", "first", "second"}},
	{name: "split", args: []string{"curate", "split", "third", "--section", "Part", "--summary", "A part."}},
	{name: "supersede", args: []string{"curate", "supersede", "first", "second"}},
	{name: "stamp", args: []string{"curate", "stamp", "first", "second"}},
	{name: "assert", args: []string{"assert", "first", "likes", "tea"}},
	{name: "undo", args: []string{"undo"}},
	{name: "commit", args: []string{"commit", "first"}, outside: true},
}

// A write is killed after each of its calls of git. Once the next command has run there is one
// commit of all that it wrote, or none, and then the bytes are the old ones; files, the index
// of git, HEAD, the index of the memory and the history agree, and nothing that the person
// has staged or not committed is touched. What was not done can be done again.
func TestKilledCommits(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "writes are killed after their calls of git")
	for i, w := range guardedWrites {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			c := newClones(t)
			c.cairn("mine", "capture", "Text of third.\n\n* Part\n\nWhat is split off.", "--title", "third", "--summary", "A page.", "--stable")
			c.cairn("mine", "link", "third", "relates_to", "first")
			c.cairn("mine", "push")
			writeFile(t, filepath.Join(c.home, "excerpt.txt"), "An excerpt.\n")
			writeFile(t, filepath.Join(c.home, "kb", "draft.txt"), "a draft\n")
			writeFile(t, filepath.Join(c.home, "kb", "staged.txt"), "staged\n")
			c.kb("add", "staged.txt")
			saved := filepath.Join(t.TempDir(), "saved")
			copyTree(t, c.home, saved)
			env, called := c.wrap()
			rng := rand.New(rand.NewPCG(*seed, uint64(i)))
			begin := func() {
				if err := os.RemoveAll(c.home); err != nil {
					t.Fatal(err)
				}
				copyTree(t, saved, c.home)
				if w.outside {
					edited := strings.Replace(c.pages()["first.org"], "Text of", "By an editor: text of", 1)
					writeFile(t, filepath.Join(c.home, "kb", "first.org"), edited)
				}
			}
			begin()
			before, head := c.everything(), c.kb("rev-parse", "HEAD")
			c.cairn("mine", w.args...)
			after := c.everything()
			if n := c.kb("rev-list", "--count", head+"..HEAD"); n != "1" || maps.Equal(before, after) != w.outside {
				t.Fatalf("it makes %s commits", n)
			}
			c.agree("at the end of it")
			begin()
			cmd := c.command("mine", w.args...)
			cmd.Env = append(cmd.Env, env(0)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if n := called(); w.name == "capture" && n > capturesCalls {
				t.Errorf("a capture makes %d calls of git, more than %d", n, capturesCalls)
			}
			step := killStep(12)
			kills, none := 0, 0
			for n := 1 + rng.IntN(step); ; n += step {
				begin()
				cmd := c.command("mine", w.args...)
				cmd.Env = append(cmd.Env, env(n)...)
				out, err := cmd.CombinedOutput()
				var exit *exec.ExitError
				killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled()
				if err != nil && !killed {
					t.Fatalf("call %d: %v\n%s", n, err, out)
				}
				if !killed {
					break
				}
				kills++
				c.cairn("mine", "sync")
				made := c.kb("rev-list", "--count", head+"..HEAD")
				now := c.everything()
				switch {
				case made == "1" && maps.Equal(now, after):
				case made == "0" && maps.Equal(now, before):
					none++
					c.cairn("mine", w.args...)
					if now := c.everything(); !maps.Equal(now, after) {
						t.Errorf("call %d: done again it leaves %q, not %q", n, now, after)
					}
				default:
					for name := range now {
						if now[name] != before[name] && now[name] != after[name] {
							t.Errorf("call %d: %s was\n%s\nand is\n%s\nrather than\n%s", n, name, before[name], now[name], after[name])
						}
					}
					t.Errorf("call %d: %s commits, and in the files neither what was there nor what comes:\n%q", n, made, slices.Sorted(maps.Keys(now)))
				}
				c.agree("call " + strconv.Itoa(n))
				if t.Failed() {
					t.FailNow()
				}
			}
			t.Logf("killed %d times, of which %d before it was done", kills, none)
			if step == 1 && kills < 5 {
				t.Errorf("it was killed %d times only", kills)
			}
		})
	}
}

// everything are the bytes of all files of kb that git does not ignore.
func (c *clones) everything() map[string]string {
	c.t.Helper()
	out := map[string]string{}
	for _, name := range strings.Split(c.kb("ls-files", "--cached", "--others"), "\n") {
		text, err := os.ReadFile(filepath.Join(c.home, "kb", name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			c.t.Fatal(err)
		}
		out[chance.ReplaceAllString(name, "*")] = chance.ReplaceAllString(string(text), "*")
	}
	return out
}

// chance is what differs between two runs of one write: ids, and times in names.
var chance = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b20[0-9]{12}\b|\b20[0-9-]{8}T[0-9:.]+Z`)

// agree checks that files, the index of git, HEAD, the memory and its history say the same.
func (c *clones) agree(when string) {
	c.t.Helper()
	if got := c.kb("status", "--porcelain"); got != "A  staged.txt\n?? draft.txt" {
		c.t.Errorf("%s: git status says\n%s", when, got)
	}
	c.kb("fsck", "--strict")
	c.cairn("mine", "index", "--check")
	var list struct {
		Items []struct{ Path, Slug string }
	}
	read := func(into any, args ...string) {
		c.t.Helper()
		if err := json.Unmarshal([]byte(c.cairn("mine", append(args, "--json", "--quiet")...)), into); err != nil {
			c.t.Fatal(err)
		}
	}
	read(&list, "list")
	pages := c.pages()
	delete(pages, "index.org")
	var listed []string
	for _, p := range list.Items {
		listed = append(listed, p.Path)
		if got := c.cairn("mine", "get", p.Slug, "--format", "human"); got != pages[p.Path] {
			c.t.Errorf("%s: the memory has of %s\n%s\nand the file\n%s", when, p.Path, got, pages[p.Path])
		}
		var history struct {
			Items []struct{ Commit string }
		}
		read(&history, "history", p.Slug)
		last := c.kb("log", "-1", "--format=%H", "--", p.Path, ".raw/"+p.Slug+".json")
		if len(history.Items) == 0 || history.Items[0].Commit != last {
			c.t.Errorf("%s: the history of %s says %+v, and git %s", when, p.Path, history.Items, last)
		}
	}
	slices.Sort(listed)
	if have := slices.Sorted(maps.Keys(pages)); !slices.Equal(listed, have) {
		c.t.Errorf("%s: the memory has %q, and the directory %q", when, listed, have)
	}
}

// A push is killed after each of its calls of git: the remote has all or nothing of it, and
// the next push brings the rest.
func TestKilledPushes(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "pushes are killed after their calls of git")
	c := newClones(t)
	c.cairn("mine", "edit", "first", "--append", "More.")
	saved := filepath.Join(t.TempDir(), "saved")
	copyTree(t, c.home, saved)
	env, _ := c.wrap()
	head := c.kb("rev-parse", "HEAD")
	was := c.kb("rev-parse", "origin/main")
	step := killStep(4)
	for n := 1 + rand.New(rand.NewPCG(*seed, 2)).IntN(step); ; n += step {
		if err := os.RemoveAll(c.home); err != nil {
			t.Fatal(err)
		}
		copyTree(t, saved, c.home)
		cmd := c.command("mine", "push")
		cmd.Env = append(cmd.Env, env(n)...)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		killed := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled()
		if err != nil && !killed {
			t.Fatalf("call %d: %v\n%s", n, err, out)
		}
		remote := func() string { return c.git("remote", "rev-parse", "main") }
		if got := remote(); got != was && got != head {
			t.Errorf("call %d: the remote has %s", n, got)
		}
		c.cairn("mine", "push")
		if got := remote(); got != head {
			t.Errorf("call %d: the remote has %s, and here is %s", n, got, head)
		}
		c.kb("fsck", "--strict")
		if got := c.kb("status", "--porcelain"); got != "" {
			t.Errorf("call %d: git status says\n%s", n, got)
		}
		if !killed {
			return
		}
	}
}
