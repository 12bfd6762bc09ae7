package peers

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// roamNode is a node in org-roam's database.
type roamNode struct {
	ID, Title, File     string
	Level               int
	Tags, Aliases, Refs []string
	Links               []string // ids that it links to
}

// roam returns what org-roam finds in a directory.
func roam(t *testing.T, u user, dir string) (nodes []roamNode) {
	t.Helper()
	if _, err := exec.LookPath("emacs"); err != nil {
		lacking(t, "emacs is not installed: apt-get install emacs-nox elpa-org-roam")
	}
	script, err := filepath.Abs(filepath.Join("testdata", "emacs", "roam.el"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := u.command("emacs", "--batch", "-l", script, "--", dir, filepath.Join(u.home, "roam.db"))
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("org-roam: %v: %s", err, out)
	}
	if string(out) == "none" {
		lacking(t, "org-roam is not installed: apt-get install elpa-org-roam")
	}
	if err := json.Unmarshal(out, &nodes); err != nil {
		t.Fatalf("org-roam says %s: %v", out, err)
	}
	return nodes
}

// linksOf are the ids to which a page links, of what cairn links prints.
func linksOf(t *testing.T, printed []byte) []string {
	t.Helper()
	var list struct {
		Items []struct{ Kind, Target string }
	}
	if err := json.Unmarshal(printed, &list); err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, l := range list.Items {
		if l.Kind == "org-id" {
			out = append(out, l.Target)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Every page that cairn makes in a directory of Org files is a node of org-roam,
// with the same id, title, tags, aliases, refs and links.
func TestOrgRoam(t *testing.T) {
	t.Parallel()
	slowtest.Skip(t, "runs Emacs")
	u := newUser(t)
	dir := filepath.Join(u.home, "roam")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	first := ":PROPERTIES:\n:ID: 11111111-1111-4111-8111-111111111111\n:END:\n#+title: First\n#+filetags: :project:\n" +
		"See [[id:22222222-2222-4222-8222-222222222222][the heading]].\n" +
		"* A heading :deep:\n:PROPERTIES:\n:ID: 22222222-2222-4222-8222-222222222222\n:END:\n" +
		"[[id:11111111-1111-4111-8111-111111111111]], [[id:44444444-4444-4444-8444-444444444444][nowhere]].\n" +
		"** Below it\nRELATES_TO [[id:22222222-2222-4222-8222-222222222222][itself]].\n" +
		"* None\n:PROPERTIES:\n:ID: 33333333-3333-4333-8333-333333333333\n:ROAM_EXCLUDE: t\n:END:\n"
	if err := os.WriteFile(filepath.Join(dir, "first.org"), []byte(first), 0o644); err != nil {
		t.Fatal(err)
	}
	cairn := func(args ...string) []byte {
		t.Helper()
		cmd := u.command(cairntest.Binary(t), args...)
		cmd.Stderr = t.Output()
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("cairn %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
	cairn("space", "add", dir)
	cairn("capture", "Looms are slow. Weavers are not.", "--tag", "craft", "--tag", "slow")
	cairn("capture", `Brackets [x] and "quotes", * stars: all in one.`)
	cairn("put", "--title", "My Org page", "Body *bold*.")
	cairn("put", "people/ada", "--title", "Ada Lovelace", "--type", "person", "Wrote the first program.")
	cairn("edit", "people/ada", "--set-list", "ROAM_ALIASES=Ada,The Countess", "--set-list", "ROAM_REFS=@lovelace1843,https://example.com/ada")
	cairn("tag", "people/ada", "mathematician")
	cairn("put", "raw", "* Only a heading\nText.")
	cairn("daily", "Call Ada.", "--date", "2025-12-01")
	cairn("link", "people/ada", "relates_to", "first")

	var list struct {
		Items []struct {
			ID, Title, Path string
			Tags            []string
		}
	}
	if err := json.Unmarshal(cairn("list", "--json", "-n", "100"), &list); err != nil {
		t.Fatal(err)
	}
	var want []roamNode
	for _, p := range list.Items {
		slices.Sort(p.Tags)
		n := roamNode{ID: p.ID, Title: p.Title, File: p.Path, Tags: append([]string{}, p.Tags...), Aliases: []string{}, Refs: []string{}}
		switch {
		case p.Title == "Ada Lovelace":
			n.Aliases, n.Refs = []string{"Ada", "The Countess"}, []string{"//example.com/ada", "lovelace1843"}
		case p.ID == "22222222-2222-4222-8222-222222222222":
			n.Level = 1
		}
		n.Links = linksOf(t, cairn("links", p.ID, "--json", "-n", "100"))
		want = append(want, n)
	}
	if len(want) != 8 {
		t.Fatalf("cairn lists %d pages, want 8: %+v", len(want), want)
	}
	got := roam(t, u, dir)
	links := 0
	for i := range got {
		got[i].Links = slices.Compact(got[i].Links) // org-roam has a link as often as it is written
		links += len(got[i].Links)
	}
	if links < 5 {
		t.Errorf("org-roam has %d links", links)
	}
	byID := func(a, b roamNode) int { return strings.Compare(a.ID, b.ID) }
	slices.SortFunc(want, byID)
	slices.SortFunc(got, byID)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("org-roam has\n%+v\nand cairn\n%+v", got, want)
	}
}
