package reconcile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
)

// What others do to a sidecar is a new version of its page, and no sync writes to
// either.
func TestSyncSeesSidecars(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(map[string]string{"a.md": "# A\n", "b.md": "# B\n", ".raw/a.json": `{"n": 1}`, ".raw/none.json": "{}"})
	s := m.Space("notes", files)
	wait := func() { m.Now(); m.Now() } // until the racy window is over
	step := func(what string, want *reconcile.Plan, a, b string, version int) {
		t.Helper()
		before := writetest.Tree(t, files)
		wait()
		for _, opts := range []reconcile.Options{{DryRun: true}, {}} {
			r := sync1(t, m, s, opts)
			if diff := cmp.Diff(want.Changed, r.Plan.Changed) + cmp.Diff(want.Added, r.Plan.Added); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
			if len(r.Listing.Sidecars) != 1 || r.Listing.Sidecars[0].Path != ".raw/none.json" {
				t.Errorf("%s: orphans are %+v", what, r.Listing.Sidecars)
			}
		}
		pages := m.Pages(s)
		if m.Side(pages["a.md"]) != a || m.Side(pages["b.md"]) != b || pages["a.md"].Version != version {
			t.Errorf("%s: %q in version %d, %q", what, m.Side(pages["a.md"]), pages["a.md"].Version, m.Side(pages["b.md"]))
		}
		if diff := cmp.Diff(before, writetest.Tree(t, files)); diff != "" {
			t.Errorf("%s: the sync wrote: %s", what, diff)
		}
		wait()
		if r := sync1(t, m, s, reconcile.Options{}); r.Plan.Changes() != 0 || r.Plan.Unchanged != 2 {
			t.Errorf("%s: once more: %+v", what, r.Plan)
		}
	}
	step("first", &reconcile.Plan{Added: []string{"a.md", "b.md"}}, `{"n": 1}`, "", 1)
	replace(t, files, ".raw/a.json", `{"n": 2}`)
	step("changed", &reconcile.Plan{Changed: []string{"a.md"}}, `{"n": 2}`, "", 2)
	writetest.Put(t, files, ".raw/b.json", "{")
	step("came, broken", &reconcile.Plan{Changed: []string{"b.md"}}, `{"n": 2}`, "{", 2)
	replace(t, files, ".raw/a.json", `{"n": 2}`)
	step("saved again as it was", &reconcile.Plan{}, `{"n": 2}`, "{", 2)
	if err := files.Remove(".raw/a.json"); err != nil {
		t.Fatal(err)
	}
	step("went", &reconcile.Plan{Changed: []string{"a.md"}}, "", "{", 3)
	writetest.Put(t, files, ".raw/a.json", `{"n": 3}`)
	step("is there again", &reconcile.Plan{Changed: []string{"a.md"}}, `{"n": 3}`, "{", 4)

	rename(t, files, "a.md", "d/a.md")
	rename(t, files, ".raw/a.json", "d/.raw/a.json")
	wait()
	r := sync1(t, m, s, reconcile.Options{})
	p := m.Pages(s)["d/a.md"]
	if len(r.Plan.Moved) != 1 || m.Side(p) != `{"n": 3}` || p.Version != 5 || m.Versions(s, p.ID)[0].Change != kb.Moved {
		t.Errorf("moved by another program: %+v, %q, version %d", r.Plan, m.Side(p), p.Version)
	}
}

// A page is read though a symbolic link is where its sidecar would be.
func TestSyncReadsPagesBesideLinks(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(map[string]string{"a.md": "# A\n", ".raw/none.txt": "", "d/a.md": "# A\n", "other/a.json": "{}"})
	for name, target := range map[string]string{".raw/a.json": "../other/a.json", "d/.raw": "../other"} {
		if err := files.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	s := m.Space("notes", files)
	r := sync1(t, m, s, reconcile.Options{})
	pages := m.Pages(s)
	if len(pages) != 2 || m.Side(pages["a.md"]) != "" || m.Side(pages["d/a.md"]) != "" {
		t.Errorf("pages: %+v", pages)
	}
	var left []string
	for _, x := range r.Listing.Sidecars {
		left = append(left, x.Path+": "+string(x.Reason))
	}
	if diff := cmp.Diff([]string{".raw/a.json: sidecar_link", "d/.raw: sidecar_link"}, left); diff != "" {
		t.Error(diff)
	}
}

// A page that has another sidecar since it was read is derived again from what is
// stored.
func TestRederiveKeepsSidecars(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	files := m.Files(map[string]string{"a.md": "# A\n", ".raw/a.json": "{"})
	s := m.Space("notes", files)
	sync1(t, m, s, reconcile.Options{})
	before := m.Pages(s)
	if err := syncer(m).Rederive(t.Context(), s.Space); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, m.Pages(s)); diff != "" || m.Side(before["a.md"]) != "{" {
		t.Error(diff)
	}
}
