package peers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// guardedFor is how long they work together in TestGuardedTogether.
const guardedFor = 60 * time.Second

// place is a clone of a guarded space with a memory of its own.
type place struct {
	t    *testing.T
	u    user
	dir  string
	env  []string
	name string
}

// run runs a program in the clone, and returns its output and its exit code.
func (p place) run(program string, args ...string) (string, int) {
	p.t.Helper()
	cmd := p.u.command(program, args...)
	cmd.Dir = p.dir
	cmd.Env = append(cmd.Env, p.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Errorf("%s %s: %v", program, strings.Join(args, " "), err)
		return "", -1
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// must runs a program that may not fail.
func (p place) must(program string, args ...string) string {
	p.t.Helper()
	out, code := p.run(program, args...)
	if code != 0 {
		p.t.Fatalf("%s: %s %s: exit code %d\n%s", p.name, filepath.Base(program), strings.Join(args, " "), code, out)
	}
	return out
}

// kept runs cairn until it is done: a conflict is pulled, as the error says, and tried
// again.
func (p place) kept(args ...string) bool {
	for range 20 {
		out, code := p.run(cairntest.Binary(p.t), args...)
		switch code {
		case 0:
			return true
		case 4: // diverged, or another is at it
			_, _ = p.run(cairntest.Binary(p.t), "pull")
		default:
			p.t.Errorf("%s: cairn %s: exit code %d\n%s", p.name, strings.Join(args, " "), code, out)
			return false
		}
	}
	return false
}

// person edits a note of her own in Emacs, for as long as is said, and leaves the buffer
// with unsaved edits in between. She prints what she saved.
const person = `
(setq cairn-program (getenv "CAIRN") cairn-directory (getenv "PLACE") cairn-save-delay 0.1
      make-backup-files nil create-lockfiles t auto-save-default nil vc-handled-backends nil)
(require 'cairn)
(cairn-global-mode 1)
(set-buffer (find-file-noselect (expand-file-name "ada.org" cairn-directory)))
(let ((end (+ (float-time) (string-to-number (getenv "SECONDS")))) (n 0))
  (while (< (float-time) end)
    (setq n (1+ n))
    (goto-char (point-max))
    (insert (format "person-%d-end\n" n))
    (sit-for 0.4)
    (save-buffer)
    (princ (format "person-%d-end\n" n))
    (let ((limit (+ (float-time) 15)))
      (while (and (or cairn--pending cairn--timer cairn--process) (< (float-time) limit))
        (accept-process-output nil 0.05)
        (sit-for 0.01)))))
`

// Two clones, two agents in one of them, a person with Emacs next to them, and somebody with
// the command line in the other, for a minute: what was accepted is there once, on both
// sides, and all of it is sound.
func TestGuardedTogether(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs Emacs and git for a minute")
	if _, err := exec.LookPath("emacs"); err != nil {
		lacking(t, "emacs is not installed: apt-get install emacs-nox")
	}
	cairn := cairntest.Binary(t)
	u := newUser(t)
	at := func(name string) place {
		return place{t, u, filepath.Join(u.home, name), []string{"CAIRN_DB=" + filepath.Join(u.home, name+".db")}, name}
	}
	home := place{t, u, u.home, nil, "home"}
	home.must("git", "config", "--global", "user.name", "Ada")
	home.must("git", "config", "--global", "user.email", "ada@example.org")
	home.must("git", "init", "-q", "--bare", "origin")
	one, two := at("one"), at("two")
	if err := os.Mkdir(one.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	one.must(cairn, "space", "add", "--preset", "guarded", one.dir, "--name", "kb", "--init", "--remote", filepath.Join(u.home, "origin"))
	one.must(cairn, "put", "ada", ":PROPERTIES:\n:SUMMARY: Notes of Ada.\n:END:\nBegun.\n")
	one.must(cairn, "push")
	home.must("git", "clone", "-q", "origin", two.dir)
	two.must(cairn, "space", "add", two.dir, "--accept")

	var mu sync.Mutex
	var accepted []string
	accept := func(mark string) {
		mu.Lock()
		defer mu.Unlock()
		accepted = append(accepted, mark)
	}
	end := time.Now().Add(guardedFor)
	var all sync.WaitGroup
	work := func(p place, actor string) {
		all.Go(func() {
			for n := 1; time.Now().Before(end); n++ {
				mark := fmt.Sprintf("%s-%d-end", strings.ReplaceAll(actor, ":", "-"), n)
				if p.kept("capture", "A lesson, "+mark+".", "--title", mark, "--summary", "Lesson "+mark+".", "--actor", actor) {
					accept(mark)
				}
				if n%4 == 0 {
					if _, code := p.run(cairn, "push"); code != 0 {
						_, _ = p.run(cairn, "pull")
					}
				}
			}
		})
	}
	work(one, "agent:first")
	work(one, "agent:second")
	work(two, "human:bob")
	all.Go(func() {
		dir, err := filepath.Abs(filepath.Join("..", "..", "..", "emacs"))
		if err != nil {
			t.Error(err)
			return
		}
		p := one
		p.env = append(p.env, "CAIRN="+cairn, "PLACE="+one.dir+"/", fmt.Sprintf("SECONDS=%d", int(guardedFor.Seconds())))
		out, code := p.run("emacs", "--batch", "-L", dir, "--eval", "(progn "+person+")")
		if code != 0 {
			t.Errorf("emacs: exit code %d\n%s", code, out)
		}
		for line := range strings.Lines(out) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "person-") {
				accept(line)
			}
		}
	})
	all.Wait()

	// Together: a file that was saved and not committed is, and each side has the other's.
	for range 3 {
		for _, p := range []place{one, two} {
			_, _ = p.run(cairn, "commit", "--all", "--actor", "human:ada")
			p.must(cairn, "pull")
			p.must(cairn, "push")
		}
	}
	if len(accepted) < 8 {
		t.Errorf("only %d writes were accepted", len(accepted))
	}
	for _, p := range []place{one, two} {
		files, err := filepath.Glob(filepath.Join(p.dir, "*.org"))
		if err != nil {
			t.Fatal(err)
		}
		var texts strings.Builder
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(filepath.Base(f), "index") {
				texts.Write(text)
			}
		}
		for _, mark := range accepted {
			want := 3 // title, summary and text of a page
			if strings.HasPrefix(mark, "person-") {
				want = 1
			}
			if n := strings.Count(texts.String(), mark); n != want {
				t.Errorf("%s: %s is there %d times, not %d", p.name, mark, n, want)
			}
		}
		var lint struct{ Fatal, Warnings int }
		if err := json.Unmarshal([]byte(p.must(cairn, "lint", "--json", "-q")), &lint); err != nil || lint.Fatal > 0 {
			t.Errorf("%s: %+v %v", p.name, lint, err)
		}
		p.must(cairn, "index", "--check")
		p.must("git", "fsck", "--strict")
		if left := p.must("git", "status", "--porcelain"); left != "" {
			t.Errorf("%s: not committed:\n%s", p.name, left)
		}
	}
	if a, b := one.must("git", "rev-parse", "HEAD^{tree}"), two.must("git", "rev-parse", "HEAD^{tree}"); a != b {
		t.Errorf("the sides differ: %s %s", a, b)
	}
	if log := one.must("git", "log", "--format=%B"); !strings.Contains(log, "Cairn-Actor: human:emacs") {
		t.Error("no commit names Emacs")
	}
	t.Logf("%d writes", len(accepted))
}
