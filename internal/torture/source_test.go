package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKilledSource kills a process that keeps a source in a guarded space, at random moments.
// What it left undone the next one does, whatever that is: the source is committed once, git's
// index knows of it, so that what a person commits next takes nothing back, and no temporary
// file is left where another source is kept.
func TestKilledSource(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	rng := rand.New(rand.NewPCG(*seed, 2))
	home := t.TempDir()
	dir := filepath.Join(home, "kb")
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	writeFile(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n")
	cairn := func(args ...string) *exec.Cmd {
		cmd := newCommands(t, home, "k").command(args...)
		cmd.Args = append(cmd.Args[:2], args...) // of the space of the directory, not of another
		cmd.Dir = home
		return cmd
	}
	must := func(args ...string) {
		t.Helper()
		if out, err := cairn(args...).CombinedOutput(); err != nil {
			t.Fatalf("cairn %v: %v\n%s", args, err, out)
		}
	}
	must("space", "add", dir, "--preset", "guarded", "--init", "--name", "kb")
	took, cut := 400*time.Millisecond, 0
	for round := range 2 * *rounds {
		text := filepath.Join(home, "t.txt")
		writeFile(t, text, fmt.Sprintf("Source %d.\n", round))
		add := []string{"source", "add", "--space", "kb", "--url", fmt.Sprintf("https://example.org/%d", round), "--title", "Same title", "--full", "--file", text}
		cmd := cairn(add...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		end := time.AfterFunc(time.Duration(rng.Int64N(int64(took))), func() { _ = cmd.Process.Kill() }) // it may have ended
		if cmd.Wait() != nil {
			cut++
		}
		end.Stop()
		switch round % 3 {
		case 0:
			must("sync", "--space", "kb")
		case 1:
			must("edit", "--space", "kb", "README", "--append", "More.")
		}
		if status := git("status", "--porcelain", "--untracked-files=all", "--", "raw/*.org", "raw/files/*.txt"); round%3 < 2 && status != "" {
			t.Fatalf("round %d: after the next command git says\n%s", round, status)
		}
		before := time.Now()
		must(add...)
		took = time.Since(before)
		if status := git("status", "--porcelain", "--untracked-files=all"); status != "" {
			t.Fatalf("round %d: git says\n%s", round, status)
		}
		if n := len(strings.Fields(git("ls-tree", "-r", "--name-only", "HEAD", "raw/"))); n != 2*(round+1) {
			t.Fatalf("round %d: %d files of sources are committed:\n%s", round, n, git("ls-tree", "-r", "--name-only", "HEAD", "raw/"))
		}
	}
	if cut == 0 && *rounds >= 5 {
		t.Error("no process was killed: nothing was shown")
	}
}
