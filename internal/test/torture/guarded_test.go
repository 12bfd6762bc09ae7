package torture

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// guarded is a guarded space kb, in a repository and a home of its own.
type guarded struct {
	t         *testing.T
	home, dir string
	actor     string
	rng       *rand.Rand
}

func newGuarded(t *testing.T, actor string, seq uint64) *guarded {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	home := t.TempDir()
	g := &guarded{t, home, filepath.Join(home, "kb"), actor, rand.New(rand.NewPCG(*seed, seq))}
	writeFile(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n")
	g.must("space", "add", g.dir, "--preset", "guarded", "--init", "--name", "kb")
	return g
}

// git runs git in the repository.
func (g *guarded) git(args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "HOME="+g.home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// cairn is a process that is not started yet.
func (g *guarded) cairn(args ...string) *exec.Cmd {
	cmd := newCommands(g.t, g.home, g.actor).command(args...)
	cmd.Args = append(cmd.Args[:2], cmd.Args[4:]...) // without the space of other tests
	return cmd
}

// must runs a command to its end.
func (g *guarded) must(args ...string) {
	g.t.Helper()
	if out, err := g.cairn(args...).CombinedOutput(); err != nil {
		g.t.Fatalf("cairn %v: %v\n%s", args, err, out)
	}
}

// killed runs a command and kills it at a random moment within so long, and reports whether
// it had not ended by then.
func (g *guarded) killed(within time.Duration, args ...string) bool {
	g.t.Helper()
	cmd := g.cairn(args...)
	if err := cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	end := time.AfterFunc(time.Duration(g.rng.Int64N(int64(within))), func() { _ = cmd.Process.Kill() }) // it may have ended
	defer end.Stop()
	return cmd.Wait() != nil
}

// clean fails where git has something to say of the files.
func (g *guarded) clean(round int) {
	g.t.Helper()
	if status := g.git("status", "--porcelain", "--untracked-files=all"); status != "" {
		g.t.Fatalf("round %d: git says\n%s", round, status)
	}
}
