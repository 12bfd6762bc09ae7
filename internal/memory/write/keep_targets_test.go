package write_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/memory/write/writetest"
	"github.com/cairn-kb/cairn/internal/policy"
)

// A page that is new, moved or renamed takes no link from another one that has its name:
// links that led to one page lead there still.
func TestLinksKeepTheirPage(t *testing.T) {
	t.Parallel()
	const people = "- works_at [[brex]] @2017..\n- see [[Rules]] and [brex](../companies/brex.md)\n"
	for what, c := range map[string]struct {
		change write.Action
		path   string
		want   string
	}{
		"new":          {write.Put{Bytes: []byte("# The project\n")}, "projects/brex.md", strings.ReplaceAll(people, "[[brex]]", "[[companies/brex]]")},
		"new, nearer":  {write.Put{Bytes: []byte("# A person\n")}, "people/brex.md", strings.ReplaceAll(people, "[[brex]]", "[[companies/brex]]")},
		"moved":        {write.Move{To: "projects/brex.md"}, "other.md", strings.ReplaceAll(people, "[[brex]]", "[[companies/brex]]")},
		"by its title": {write.Put{Bytes: []byte("Of football.\n")}, "sports/rules.md", strings.ReplaceAll(people, "[[Rules]]", "[[handbook]]")},
		"retitled":     {write.Put{Bytes: []byte("---\ntitle: Rules\n---\nElse.\n"), Overwrite: true}, "other.md", strings.ReplaceAll(people, "[[Rules]]", "[[handbook]]")},
		"aliased":      {write.Edit{Edits: []doc.Edit{doc.SetList{Key: "aliases", Values: []string{"Brex Inc", "brex"}}}}, "companies/brix.md", people},
		"new alias":    {write.Edit{Edits: []doc.Edit{doc.SetList{Key: "aliases", Values: []string{"Rules"}}}}, "other.md", people},
		"set title":    {write.Edit{Edits: []doc.Edit{doc.SetProperty{Key: "title", Value: "Rules"}}}, "other.md", strings.ReplaceAll(people, "[[Rules]]", "[[handbook]]")},
		"same title":   {write.Put{Bytes: []byte("---\ntitle: Rules\n---\nOf the house, again.\n"), Overwrite: true}, "handbook.md", people},
		"copied":       {write.Put{Bytes: []byte("# The project\n"), Copied: true}, "projects/brex.md", people},
		"another name": {write.Put{Bytes: []byte("# The project\n")}, "projects/brax.md", people},
	} {
		m := writetest.New(t)
		mem := m.Files(nil)
		s := m.Space("notes", mem)
		m.Apply(request(
			put(s, "companies/brex.md", "---\ntitle: Brex Inc\n---\nA firm.\n"), put(s, "handbook.md", "---\ntitle: Rules\n---\nOf the house.\n"),
			put(s, "other.md", "Else.\n"), put(s, "companies/brix.md", "A rival.\n"), put(s, "people/pedro.md", people),
		))
		m.Apply(request(write.Change{Space: s, Path: c.path, Action: c.change}))
		if got := fsystest.Get(t, mem, "people/pedro.md"); got != c.want {
			t.Errorf("%s: links are %q, not %q", what, got, c.want)
		}
	}
}

// Undoing what was deleted leaves links as they are, and where links may not be changed the
// new page says so.
func TestLinksThatStay(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(nil)
	s := m.Space("notes", mem)
	m.Apply(request(put(s, "a/brex.md", "One.\n"), put(s, "p.md", "[[brex]]\n")))
	undo := request(put(s, "b/brex.md", "Two.\n"))
	undo.Operation = "undo"
	res := m.Apply(undo)
	if notes := strings.Join(res.Pages[0].Notes, "\n"); !strings.Contains(notes, "[[brex]] in p.md does not lead to a/brex.md alone") {
		t.Errorf("an undo that makes a link ambiguous says %q", notes)
	}
	back := request(put(s, "c/other.md", "Three.\n"), put(s, "q.md", "[[other]]\n"))
	back.Operation = "undo"
	for _, p := range m.Apply(back).Pages {
		if len(p.Notes) > 0 {
			t.Errorf("an undo that makes no link ambiguous says %q", p.Notes)
		}
	}
	if got := fsystest.Get(t, mem, "p.md"); got != "[[brex]]\n" {
		t.Errorf("an undo made of the link %q", got)
	}
	m.Apply(request(put(s, "rules/one.md", "[[gold]]\n"), put(s, "metals/gold.md", "Au.\n")))
	s.Policy.Permissions.Rules = []policy.Rule{{Effect: policy.Deny, Operations: []policy.Operation{policy.OpEdit}, Paths: []string{"rules/**"}}}
	res = m.Apply(request(put(s, "colours/gold.md", "Yellow.\n")))
	if got := fsystest.Get(t, mem, "rules/one.md"); got != "[[gold]]\n" || len(res.Pages) != 1 || !strings.Contains(strings.Join(res.Pages[0].Notes, "\n"), "[[gold]] in rules/one.md does not lead to metals/gold.md alone") {
		t.Errorf("a link that may not be changed is %q, and the answer %+v", got, res.Pages)
	}
}

// Links with the name of their space in front keep their page as others do; a page of another
// space that has one is named in a note.
func TestLinksWithTheirOwnSpaceKeepTheirPage(t *testing.T) {
	t.Parallel()
	m := newTwoSpaces(t)
	garden, work := m.spaces[0], m.spaces[1]
	m.Apply(request(
		put(garden, "t.md", "---\ntitle: Alpha\n---\nText.\n"), put(garden, "other.md", "Else.\n"),
		put(garden, "sub/l.md", "See [[garden:Alpha]], [[Garden: Alpha|it]], [[Alpha]] and [[garden:other]].\n\n- part_of [[garden:Alpha]]\n"),
		put(work, "w.md", "See [[garden:Alpha]].\n"),
	))
	change := request(edit(garden, "other.md", doc.SetProperty{Key: "title", Value: "Alpha"}))
	res := m.Apply(change)
	want := "See [[garden:t]], [[Garden: t|it]], [[t]] and [[garden:other]].\n\n- part_of [[garden:t]]\n"
	if got := writetest.Tree(t, m.files[0])["sub/l.md"]; got != want {
		t.Errorf("the page is\n%s\nnot\n%s", got, want)
	}
	if notes := strings.Join(res.Pages[0].Notes, "\n"); !strings.Contains(notes, "[[garden:Alpha]] in work:w.md does not lead to t.md alone") {
		t.Errorf("the notes are %q", notes)
	}
	m.Apply(request(put(garden, "g.md", "---\ntitle: Gamma\n---\nText.\n"), put(garden, "m.md", "See [[garden:Gamma]].\n")))
	back := request(put(garden, "again.md", "---\ntitle: Gamma\n---\nBack.\n"))
	back.Operation = "undo"
	var notes []string
	for _, p := range m.Apply(back).Pages {
		notes = append(notes, p.Notes...)
	}
	if got := strings.Join(notes, "\n"); !strings.Contains(got, "[[garden:Gamma]] in m.md does not lead to g.md alone") {
		t.Errorf("the notes of an undo are %q", got)
	}
	garden.Policy.Permissions.Rules = []policy.Rule{{Effect: policy.Deny, Operations: []policy.Operation{policy.OpEdit}, Paths: []string{"n.md"}}}
	m.Apply(request(put(garden, "u.md", "---\ntitle: Beta\n---\nText.\n"), put(garden, "n.md", "[[garden:Beta]]\n")))
	res = m.Apply(request(put(garden, "beta.md", "New.\n")))
	if got := strings.Join(res.Pages[0].Notes, "\n"); !strings.Contains(got, "[[garden:Beta]] in n.md does not lead to u.md alone") {
		t.Errorf("the notes are %q", got)
	}
}

// Sets that are applied together see each other's links.
func TestLinksKeepTheirPageTogether(t *testing.T) {
	t.Parallel()
	m := writetest.New(t)
	mem := m.Files(nil)
	s := m.Space("notes", mem)
	m.Apply(request(put(s, "companies/brex.md", "A firm.\n")))
	for _, a := range together(t, m, s, callers(
		request(put(s, "people/pedro.md", "- works_at [[brex]]\n")), request(put(s, "projects/brex.md", "A project.\n")),
	), nil) {
		if a.err != nil {
			t.Error(a.err)
		}
	}
	if got := fsystest.Get(t, mem, "people/pedro.md"); got != "- works_at [[companies/brex]]\n" {
		t.Errorf("got %q", got)
	}
}
