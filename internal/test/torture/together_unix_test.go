//go:build unix

package torture

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// An editor saves, agents write, somebody checks branches out, and a server syncs and
// commits, all in one guarded space. What an agent was told is written, and what the editor
// has saved, is in a file or in a commit of some branch; git and the memory are sound.
func TestEditorAgentsCheckoutsAndAServer(t *testing.T) {
	// Serial: it runs for a time.
	slowtest.Skip(t, "an editor, agents, checkouts and a server in one space")
	const long = 5 * time.Second
	c := newClones(t)
	kb := filepath.Join(c.home, "kb")
	policy := filepath.Join(kb, ".cairn", "space.toml")
	text, err := os.ReadFile(policy)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, policy, strings.Replace(string(text), "settle = 60", "settle = 1", 1))
	c.cairn("mine", "space", "add", "kb", "--accept")
	c.cairn("mine", "commit", "--all")
	c.kb("branch", "side")
	serve := c.command("mine", "serve")
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve.Wait() }()

	var (
		all   sync.WaitGroup
		lock  sync.Mutex
		words []string
		did   = map[string]int{}
		until = time.Now().Add(long)
	)
	// each does something again and again.
	each := func(who string, do func(n int, chance *rand.Rand) (word string, done bool)) {
		all.Go(func() {
			chance := rand.New(rand.NewPCG(*seed, uint64(len(who))))
			for n := 0; time.Now().Before(until); n++ {
				word, done := do(n, chance)
				lock.Lock()
				if done {
					did[who]++
				}
				if done && word != "" {
					words = append(words, word)
				}
				lock.Unlock()
			}
		})
	}
	agent := func(who string) {
		each(who, func(n int, chance *rand.Rand) (string, bool) {
			word := fmt.Sprintf("%sword%04d", who, n)
			args := []string{"edit", []string{"first", "second"}[chance.IntN(2)], "--append", word}
			if n%4 == 0 {
				args = []string{"capture", word, "--title", who + fmt.Sprint(n), "--summary", "A page.", "--stable"}
			}
			return word, c.command("mine", append([]string{"--actor", who}, args...)...).Run() == nil
		})
	}
	agent("claude")
	agent("codex")
	each("editor", func(n int, chance *rand.Rand) (string, bool) {
		<-time.After(time.Duration(chance.IntN(100)) * time.Millisecond)
		name := filepath.Join(kb, fmt.Sprintf("draft%d.org", chance.IntN(3)))
		word := fmt.Sprintf("editorword%04d", n)
		return word, saveAsEmacs(name, func(text string) string {
			if text == "" {
				id := fmt.Sprintf("0c2a5b5e-3f4e-4b5f-9a54-%012d", n)
				text = ":PROPERTIES:\n:ID: " + id + "\n:CREATED: 2026-11-01\n:UPDATED: 2026-11-01\n:CREATED_BY: human\n:CONFIDENCE: observed\n:VISIBILITY: personal\n:STATUS: current\n:PROJECTS: :general:\n:SOURCE: me\n:SUMMARY: A draft.\n:END:\n#+title: Draft " + fmt.Sprint(n) + "\n"
			}
			return text + "\n" + word + "\n"
		}) == nil
	})
	each("checkout", func(n int, chance *rand.Rand) (string, bool) {
		<-time.After(time.Duration(200+chance.IntN(500)) * time.Millisecond)
		cmd := exec.Command("git", "checkout", "-q", []string{"main", "side"}[n%2])
		cmd.Dir, cmd.Env = kb, append(os.Environ(), c.env...)
		return "", cmd.Run() == nil
	})
	each("commit", func(int, *rand.Rand) (string, bool) {
		<-time.After(700 * time.Millisecond)
		return "", c.command("mine", "commit", "--all").Run() == nil
	})
	all.Wait()
	select {
	case err := <-ended:
		t.Errorf("the server ended: %v", err)
	default:
		if err := serve.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		<-ended
	}
	for _, who := range []string{"claude", "codex", "editor", "checkout", "commit"} {
		if did[who] == 0 {
			t.Errorf("%s did nothing", who)
		}
	}
	t.Logf("done: %v", did)

	c.kb("fsck", "--strict")
	c.cairn("mine", "sync", "--yes")               // most pages may be on the other branch
	_ = c.command("mine", "commit", "--all").Run() // with what it makes of both branches
	var kept strings.Builder
	for name, text := range c.pages() {
		if strings.Contains(text, "\n<<<<<<<") {
			t.Errorf("%s has marks of a conflict", name)
		}
		kept.WriteString(text)
	}
	for _, branch := range []string{"main", "side"} {
		for _, commit := range strings.Fields(c.kb("rev-list", branch)) {
			kept.WriteString(c.kb("show", "--format=", commit))
		}
	}
	for _, word := range words {
		if !strings.Contains(kept.String(), word) {
			t.Errorf("%s is gone", word)
		}
	}
	if err := filepath.WalkDir(filepath.Join(kb, ".git"), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "index.lock") || strings.HasSuffix(path, "HEAD.lock") {
			t.Errorf("%s is left", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if out := c.cairn("mine", "status", "--format", "json"); strings.Contains(out, `"held":`) {
		t.Errorf("commits wait: %s", out)
	}
	if out := c.cairn("mine", "db", "validate"); out == "" {
		t.Error("db validate says nothing")
	}
}

// saveAsEmacs edits a file as Emacs does: it says so with a lock, and saves nothing over what
// another program has written meanwhile.
func saveAsEmacs(name string, edit func(string) string) (err error) {
	lock := filepath.Join(filepath.Dir(name), ".#"+filepath.Base(name))
	if err := os.Symlink("ada@here.1", lock); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(lock)) }()
	before, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := edit(string(before))
	<-time.After(5 * time.Millisecond) // somebody types
	now, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if string(now) != string(before) {
		return errors.New("changed on disk")
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
