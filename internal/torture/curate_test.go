package torture

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestKilledMerge kills a process that merges two pages of a guarded space, at random
// moments: afterwards both pages and the one that links to them are as before, with no
// commit, or all of them are as after it, with one. Nothing of either text is lost.
func TestKilledMerge(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	rng := rand.New(rand.NewPCG(*seed, 3))
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
		cmd := newCommands(t, home, "human:ada").command(args...)
		cmd.Args = append(cmd.Args[:2], args...) // of the space of the directory, not of another
		cmd.Dir = home
		return cmd
	}
	must := func(args ...string) string {
		t.Helper()
		out, err := cairn(append([]string{"--space", "kb"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("cairn %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out, err := cairn("space", "add", dir, "--preset", "guarded", "--init", "--name", "kb").CombinedOutput(); err != nil {
		t.Fatalf("space add: %v\n%s", err, out)
	}
	must("capture", "One says so.", "--title", "One", "--summary", "One.", "--stable")
	must("capture", "Two says so.", "--title", "Two", "--summary", "Two.", "--stable", "--keep")
	must("capture", "A page that links.", "--title", "Hub", "--summary", "Hub.", "--stable", "--keep")
	must("link", "hub", "uses", "one")
	must("timeline-add", "one", "Seen.", "--date", "2026-01-02", "--source", "log")
	must("assert", "one", "made_of", "stone", "--evidence", "One says so.")
	must("assert", "hub", "needs", "one")
	files := []string{"hub.org", "index.org", "one.org", "two.org", ".raw/hub.json", ".raw/one.json", ".raw/two.json"}
	read := func() (out []string) {
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			out = append(out, string(text))
		}
		return out
	}
	before := read()
	began := time.Now()
	must("curate", "merge", "one", "two")
	took := time.Since(began)
	after := read()
	if !strings.Contains(after[3], "One says so.") || strings.Contains(after[2], "One says so.") || after[0] == before[0] ||
		!strings.Contains(after[3], "Seen.") || strings.Contains(after[2], "Seen.") || after[4] == before[4] || after[5] != "" || !strings.Contains(after[6], "stone") {
		t.Fatalf("the merge left %q", after)
	}
	must("undo")
	if !slices.Equal(read(), before) {
		t.Fatalf("the undo left %q", read())
	}
	cut, done := 0, 0
	for round := range 2 * *rounds {
		head := git("rev-parse", "HEAD")
		cmd := cairn("--space", "kb", "curate", "merge", "one", "two")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		end := time.AfterFunc(time.Duration(rng.Int64N(int64(took))), func() { _ = cmd.Process.Kill() }) // it may have ended
		if cmd.Wait() != nil {
			cut++
		}
		end.Stop()
		must("status") // whoever opens the memory next finishes it
		if status := git("status", "--porcelain", "--untracked-files=all"); status != "" {
			t.Fatalf("round %d: git says\n%s", round, status)
		}
		commits, now := git("rev-list", "--count", head+"..HEAD"), read()
		switch {
		case slices.Equal(now, before) && commits == "0":
		case slices.Equal(now, after) && commits == "1":
			done++
			must("undo")
			if !slices.Equal(read(), before) {
				t.Fatalf("round %d: the undo left %q", round, read())
			}
		default:
			t.Fatalf("round %d: %s commits, and the files say %q", round, commits, now)
		}
	}
	if (cut == 0 || done == 0) && *rounds >= 5 {
		t.Errorf("%d processes were killed, and %d merges were made: little was shown", cut, done)
	}
}
