package scenarios_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// listings counts how often a directory is listed, by what lies in it: its root
// is also looked into before pages are taken away.
type listings struct {
	fsys.FS
	n *atomic.Int64
}

func (l listings) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "sub" {
		l.n.Add(1)
	}
	return l.FS.ReadDir(name)
}

// watchedBed is a memory of a process that lives long.
func watchedBed(t *testing.T) (b *apptest.Bed, listed *atomic.Int64) {
	b, listed = apptest.New(t), new(atomic.Int64)
	b.Opts.Watch = true
	b.Opts.WrapFiles, b.Opts.WrapDatabase = func(d *fsys.Dir) fsys.FS { return listings{d, listed} }, nil
	return b, listed
}

// hits are the paths that a search finds.
func hits(t *testing.T, a *memory.Session, query string) string {
	t.Helper()
	r := apptest.OK(read.Search(context.Background(), a, retrieve.SearchRequest{Query: query, Sync: true}))(t)
	var out []string
	for _, h := range r.Items {
		out = append(out, h.Path)
	}
	return strings.Join(out, " ")
}

// A process that lives long lists a directory again only where something
// happened that its queue does not tell, and answers with all that is in it.
func TestAQuestionAfterWhichNothingHappenedListsNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("directories are watched on Linux only")
	}
	b, listed := watchedBed(t)
	root := b.Dir("notes", map[string]string{"a.md": "# A\n\nalpha\n", "sub/b.md": "# B\n\nbeta\n"})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
	file := func(name, text string) func() {
		return func() { b.Dir("notes", map[string]string{name: text}) }
	}
	must := func(do func() error) func() {
		return func() {
			t.Helper()
			if err := do(); err != nil {
				t.Fatal(err)
			}
		}
	}
	at := func(name string) string { return filepath.Join(root, name) }
	if w := apptest.OK(state.Describe(t.Context(), a))(t).Spaces[0].Watch; w != nil {
		t.Errorf("before the first question: %+v", w)
	}
	hits(t, a, "alpha")
	if w := apptest.OK(state.Describe(t.Context(), a))(t).Spaces[0].Watch; w == nil || !w.Watched || w.Directories != 2 {
		t.Errorf("it is watched like this: %+v", w)
	}
	for _, tc := range []struct {
		name        string
		do          func()
		query, want string
		lists       int64
	}{
		{"nothing", func() {}, "alpha", "a.md", 0},
		{"a saved file", file("a.md", "# A\n\ngamma\n"), "gamma", "a.md", 0},
		{"the same bytes again", file("a.md", "# A\n\ngamma\n"), "gamma", "a.md", 0},
		{"a write of its own", func() {
			apptest.OK(change.EditPage(t.Context(), a, change.EditRequest{Ref: "a", Edits: []doc.Edit{doc.Append{Text: "delta\n"}}}))(t)
		}, "delta", "a.md", 0},
		{"a new file", file("c.md", "# C\n\nepsilon\n"), "epsilon", "c.md", 1},
		{"another file of it", file(".hidden", "x"), "epsilon", "c.md", 0},
		{"a file that went", must(func() error { return os.Remove(at("c.md")) }), "epsilon", "", 1},
		{"a new directory", must(func() error {
			return os.MkdirAll(at("new/deep"), 0o755)
		}), "epsilon", "", 1},
		{"a file in it", file("new/deep/d.md", "# D\n\nzeta\n"), "zeta", "new/deep/d.md", 1},
		{"a directory that moved", must(func() error { return os.Rename(at("new"), at("old")) }), "zeta", "old/deep/d.md", 1},
		{"a file in it", file("old/deep/d.md", "# D\n\neta\n"), "eta", "old/deep/d.md", 0},
		{"an ignore file", file(".gitignore", "old\n"), `"eta"`, "", 1},
		{"nothing after it", func() {}, `"eta"`, "", 0},
		{"what it ignores", file("old/deep/d.md", "# D\n\ntheta\n"), "theta", "", 0},
		{"a merge that is not finished", file("a.md", "<<<<<<< ours\ngamma\n=======\niota\n>>>>>>> theirs\n"), "delta", "a.md", 1},
		{"nothing since", func() {}, "delta", "a.md", 0},
		{"the end of the merge", file("a.md", "# A\n\niota\n"), "iota", "a.md", 1},
		{"its own policy", file(".cairn/space.toml", "format = \"markdown\"\n"), "iota", "a.md", 1},
		{"another directory in its place", must(func() error {
			b.Dir("other", map[string]string{"sub/b.md": "# B\n\nkappa\n"})
			if err := os.Rename(at(".cairn"), filepath.Join(b.Home, "other", ".cairn")); err != nil {
				return err
			}
			if err := os.Rename(root, root+".away"); err != nil {
				return err
			}
			return os.Rename(filepath.Join(b.Home, "other"), root)
		}), "kappa", "sub/b.md", 1},
		{"a file in that", file("sub/b.md", "# B\n\nlambda\n"), "lambda", "sub/b.md", 0},
	} {
		before := listed.Load()
		tc.do()
		if got := hits(t, a, tc.query); got != tc.want {
			t.Errorf("after %s: %q finds %q, want %q", tc.name, tc.query, got, tc.want)
		}
		if got := listed.Load() - before; got != tc.lists {
			t.Errorf("after %s: %d listings, want %d", tc.name, got, tc.lists)
		}
	}
}

// The state of the memory in a process that lives long says what it says in one
// that lists the directory, and lists it again only where something came or went.
func TestTheStateListsNothingWhereNothingHappened(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("directories are watched on Linux only")
	}
	b, listed := watchedBed(t)
	root := b.Dir("notes", map[string]string{"a.md": "# A\n\nalpha\n", "sub/b.md": "# B\n", ".hidden.md": "# H\n"})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
	hits(t, a, "alpha")
	other := *b
	other.Opts.Watch = false
	plain := other.Open()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(root, name) }
	problems := func(a *memory.Session) []api.Check {
		t.Helper()
		found := apptest.OK(state.Describe(t.Context(), a))(t).Problems
		for i := range found {
			found[i].Mend = nil // functions are not equal
		}
		return found
	}
	temp := "sub/.cairn-tmp-1"
	for _, tc := range []struct {
		name  string
		do    func()
		says  string // of the problems
		lists int64
	}{
		{"nothing", func() {}, ".hidden.md", 0},
		{"a changed file", func() { b.Dir("notes", map[string]string{"a.md": "# A\n\nbeta\n"}) }, "1 note with changes", 1},
		{"nothing since", func() {}, "1 note with changes", 1},
		{"a question that indexes it", func() { hits(t, a, "beta") }, ".hidden.md", 1},
		{"nothing since", func() {}, ".hidden.md", 0},
		{"a write of its own, and a question", func() {
			apptest.OK(change.EditPage(t.Context(), a, change.EditRequest{Ref: "a", Edits: []doc.Edit{doc.Append{Text: "delta\n"}}}))(t)
			hits(t, a, "delta")
		}, ".hidden.md", 0},
		{"a symbolic link", func() { must(os.Symlink("b.md", at("sub/c.md"))) }, "sub/c.md: symbolic link", 1},
		{"nothing since", func() {}, "sub/c.md: symbolic link", 0},
		{"a question, and the link that goes", func() {
			must(os.Remove(at("sub/c.md")))
			hits(t, a, "delta")
		}, ".hidden.md", 1},
		{"a hidden note", func() { b.Dir("notes", map[string]string{"sub/.too.md": "x"}) }, "sub/.too.md", 1},
		{"one that goes", func() { must(os.Remove(at("sub/.too.md"))) }, ".hidden.md", 1},
		{"a temporary file", func() { b.Dir("notes", map[string]string{temp: "x"}) }, temp, 1},
		{"nothing since", func() {}, temp, 0},
		{"one that goes", func() { must(os.Remove(at(temp))) }, ".hidden.md", 1},
		{"one that comes and goes", func() {
			b.Dir("notes", map[string]string{temp: "x"})
			must(os.Remove(at(temp)))
		}, ".hidden.md", 0},
		{"a name that is not UTF-8", func() { must(os.WriteFile(at("\xff.md"), nil, 0o600)) }, "not valid UTF-8", 1},
	} {
		before := listed.Load()
		tc.do()
		got := problems(a)
		if n := listed.Load() - before; n != tc.lists {
			t.Errorf("after %s: %d listings, want %d", tc.name, n, tc.lists)
		}
		want := problems(plain)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("after %s:\n%+v\nwithout watching:\n%+v", tc.name, got, want)
		}
		if said := fmt.Sprint(got); !strings.Contains(said, tc.says) {
			t.Errorf("after %s: %s says nothing of %q", tc.name, said, tc.says)
		}
	}
}
