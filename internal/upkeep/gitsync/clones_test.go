package gitsync_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

var writes = flag.Int("guard.writes", 0, "how many writes each clone makes; 0 is a number of the test's own")

// device is a clone of a guarded space with a memory of its own.
type device struct {
	t    *testing.T
	a    *memory.Session
	root string
	name string
	told []string // what the writes said that were accepted
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// newHome is a home in which git knows who commits.
func newHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	run(t, home, "config", "--global", "user.name", "Ada")
	run(t, home, "config", "--global", "user.email", "ada@example.org")
	run(t, home, "config", "--global", "init.defaultBranch", "main")
	return home
}

// newDevice adds a clone of a remote, or begins one that has no commits yet.
func newDevice(t *testing.T, home, name string, begin bool, now time.Time) *device {
	t.Helper()
	remote, root := filepath.Join(home, "remote"), filepath.Join(home, name)
	if begin {
		run(t, home, "init", "-q", "--bare", remote)
	}
	run(t, home, "clone", "-q", remote, root)
	b := apptest.New(t)
	b.Clock(now, time.Minute)
	d := &device{t: t, root: root, name: name}
	b.Opts.Space = "kb"
	d.a = b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), d.a, space.AddRequest{Root: root, Name: "kb", Preset: map[bool]string{true: "guarded"}[begin], Accept: true}))(t)
	return d
}

// A policy that is accepted after the space was added has git merge pages by cairn, as one
// that is accepted with it.
func TestAcceptedLater(t *testing.T) {
	// Serial: it sets environment variables.
	home := newHome(t)
	one := newDevice(t, home, "one", true, time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	if err := one.put("p", "Begun."); err != nil {
		t.Fatal(err)
	}
	apptest.OK(gitsync.Commit(t.Context(), one.a, gitsync.Request{All: true}))(t)
	one.push()
	root := filepath.Join(home, "two")
	run(t, home, "clone", "-q", filepath.Join(home, "remote"), root)
	if err := os.WriteFile(filepath.Join(root, ".gitattributes"), []byte("*.org merge=cairn\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := apptest.New(t)
	a := b.Open()
	driven := func() bool {
		text := apptest.OK(os.ReadFile(filepath.Join(root, ".git", "config")))(t)
		return strings.Contains(string(text), "merge-driver")
	}
	s := apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
	if len(s.Waiting) == 0 || s.Accept == nil || driven() {
		t.Fatalf("added: %+v, driven %v", s.Waiting, driven())
	}
	if err := s.Accept(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !driven() {
		t.Error("git does not merge pages by cairn")
	}
	if again := apptest.OK(a.Spaces.Show(t.Context(), s.Name))(t); len(again.Waiting) > 0 {
		t.Errorf("accepted: %+v", again.Waiting)
	}
}

func (d *device) put(slug, text string) error {
	_, err := change.Put(d.t.Context(), d.a, change.PutRequest{Ref: slug, Text: []byte(":PROPERTIES:\n:SUMMARY: A page.\n:END:\n" + text + "\n")})
	return err
}

func (d *device) append(slug, text string) error {
	_, err := change.EditPage(d.t.Context(), d.a, change.EditRequest{Ref: slug, Edits: []doc.Edit{doc.Append{Text: text}}})
	return err
}

// write does something until it is accepted.
func (d *device) write(do func() error) {
	d.t.Helper()
	for range 5 {
		err := do()
		if err == nil {
			return
		}
		if kb.AsError(err).Reason != kb.GitDiverged {
			d.t.Fatalf("%s: %v", d.name, err)
		}
		d.pull()
	}
	d.t.Fatalf("%s: a write was never accepted", d.name)
}

func (d *device) pull() api.GitPull {
	d.t.Helper()
	got := apptest.OK(gitsync.Pull(d.t.Context(), d.a, gitsync.PullRequest{}))(d.t)
	if len(got.Conflicts)+len(got.Broken) > 0 {
		d.t.Fatalf("%s: %+v", d.name, got)
	}
	return got
}

// push pushes, and pulls as often as the other was faster.
func (d *device) push() {
	d.t.Helper()
	for range 5 {
		_, err := gitsync.Push(d.t.Context(), d.a)
		if err == nil {
			return
		}
		if kb.AsError(err).Reason != kb.GitDiverged {
			d.t.Fatalf("%s: %v", d.name, err)
		}
		d.pull()
	}
	d.t.Fatalf("%s: it was never pushed", d.name)
}

func (d *device) git(args ...string) string { d.t.Helper(); return run(d.t, d.root, args...) }

// all is the text of all documents.
func (d *device) all() string {
	d.t.Helper()
	var out strings.Builder
	for _, name := range strings.Fields(d.git("ls-files", "*.org")) {
		text, err := os.ReadFile(filepath.Join(d.root, name))
		if err != nil {
			d.t.Fatal(err)
		}
		if name != "index.org" {
			out.Write(text)
		}
	}
	return out.String()
}

// Two devices write to one space, to pages of their own and to the same ones, and push now
// and then: nothing of it is lost, and both end with the same.
func TestTwoClones(t *testing.T) {
	// Serial: it sets environment variables.
	home := newHome(t)
	one := newDevice(t, home, "one", true, time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	at := []string{"p0", "p1", "p2", "p3"} // where the pages are that both write to
	for _, slug := range at {
		if err := one.put(slug, "Begun."); err != nil {
			t.Fatal(err)
		}
	}
	apptest.OK(gitsync.Commit(t.Context(), one.a, gitsync.Request{All: true}))(t)
	one.push()
	two := newDevice(t, home, "two", false, time.Date(2026, 12, 24, 12, 0, 0, 0, time.UTC))
	chance := rand.New(rand.NewPCG(1, 2))
	merged := 0
	for n := range 2 * cmp.Or(*writes, slowtest.Count(8, 25)) {
		d := []*device{one, two}[chance.IntN(2)]
		word := fmt.Sprintf("word%03d%s", n, d.name)
		switch pick := chance.IntN(10); {
		case pick < 3:
			d.write(func() error { return d.put(fmt.Sprintf("n%03d", n), word) })
		case pick < 8:
			slug := at[chance.IntN(len(at))]
			d.write(func() error {
				err := d.append(slug, word)
				if kb.CodeOf(err) == kb.NotFound { // it has moved there, and that is not here yet
					d.pull()
					err = d.append(slug, word)
				}
				if kb.CodeOf(err) == kb.NotFound { // or is not pushed
					return d.put(fmt.Sprintf("late%03d", n), word)
				}
				return err
			})
		default: // only one of them moves pages
			i := chance.IntN(len(at))
			d, to := one, fmt.Sprintf("moved/p%d-%03d", i, n)
			d.write(func() error {
				_, err := change.Move(t.Context(), d.a, change.MoveRequest{Ref: at[i], To: to})
				return err
			})
			at[i] = to
			continue
		}
		d.told = append(d.told, word)
		if chance.IntN(6) == 0 {
			d.push()
		}
	}
	for _, d := range []*device{one, two, one} {
		d.pull()
		d.push()
	}
	for _, d := range []*device{one, two} {
		all := d.all()
		for _, word := range append(one.told, two.told...) {
			if n := strings.Count(all, word); n != 1 {
				t.Errorf("%s: %s is there %d times", d.name, word, n)
			}
		}
		d.git("fsck", "--strict")
		if status := d.git("status", "--porcelain"); status != "" {
			t.Errorf("%s: %s", d.name, status)
		}
		if stale := apptest.OK(change.UpdateIndexFiles(t.Context(), d.a, true))(t); len(stale.Stale) > 0 {
			t.Errorf("%s: the index is out of date", d.name)
		}
		merged += len(strings.Fields(d.git("rev-list", "--merges", "HEAD")))
	}
	if one.git("rev-parse", "HEAD^{tree}") != two.git("rev-parse", "HEAD^{tree}") {
		t.Error("they have not the same")
	}
	if merged < 4 {
		t.Errorf("there were %d merges only", merged)
	}
}
