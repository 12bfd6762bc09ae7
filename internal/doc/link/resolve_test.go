package link_test

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/link"
)

var pages = []link.Page{
	{Row: 1, ID: "11111111-1111-4111-8111-111111111111", Path: "index.md", Title: "Home"},
	{Row: 2, ID: "22222222-2222-4222-8222-222222222222", Path: "a/machine-learning.md", Title: "Machine Learning"},
	{Row: 3, ID: "33333333-3333-4333-8333-333333333333", Path: "b/Machine Learning.md", Title: "Machine Learning", Aliases: []string{"ML"}},
	{Row: 4, ID: "44444444-4444-4444-8444-444444444444", Path: "b/c/note.md", Title: "note"},
	{Row: 5, ID: "55555555-5555-4555-8555-555555555555", Path: "d/note.md", Title: "note"},
	{Row: 6, ID: "66666666-6666-4666-8666-666666666666", Path: "notes.org", Title: "Notes"},
	{Row: 7, ID: "77777777-7777-4777-8777-777777777777", Path: "notes.org", Node: "77777777-7777-4777-8777-777777777777", Title: "A Node"},
	{Row: 8, ID: "88888888-8888-4888-8888-888888888888", Path: "1*.md", Title: "1*"},
	{Row: 9, ID: "99999999-9999-4999-8999-999999999999", Path: "1.md", Title: "1"},
	{Row: 10, ID: "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa", Path: "re\u0301sume\u0301.md", Title: "résumé"},
	{Row: 11, Path: "e/index.md", Title: "index"},
	{Row: 12, Path: "z/202104011200 An idea.md", Title: "An idea"},
	{Row: 13, Path: "z/Another idea 20210401120059.md", Title: "Another idea", Refs: []string{"id:20210402"}},
}

func init() {
	for i := range pages {
		pages[i].Keys = link.Names(pages[i])
	}
}

// vault is a Markdown link in a vault of Obsidian with the shortest paths.
func vault(name, from string) link.Ref {
	return link.Ref{Kind: "markdown", Name: name, FromPath: from, Rules: link.Rules{Vault: true}}
}

// relative is one in a vault with relative paths.
func relative(name, from string) link.Ref {
	ref := vault(name, from)
	ref.Rules.Relative = true
	return ref
}

// candidates are the pages that the index would find for the ref.
func candidates(ref link.Ref) []link.Page {
	var out []link.Page
	for _, p := range pages {
		key := link.Key(ref.Kind, ref.Name)
		if key == string(p.ID) || slices.Contains(link.Names(p), key) {
			out = append(out, p)
		}
	}
	return out
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		ref  link.Ref
		want []int64
	}{
		{"by id", link.Ref{Kind: "org-id", Name: "44444444-4444-4444-8444-444444444444", FromPath: "x.org"}, []int64{4}},
		{"by id of a node, in capitals", link.Ref{Kind: "wikilink", Name: "77777777-7777-4777-8777-777777777777", FromPath: "x.org"}, []int64{7}},
		{"by title of a node", link.Ref{Kind: "wikilink", Name: "a node", FromPath: "x.org"}, []int64{7}},
		{"a file name means the file, not its nodes", link.Ref{Kind: "wikilink", Name: "notes", FromPath: "x.md"}, []int64{6}},
		{"nearest directory first", link.Ref{Kind: "wikilink", Name: "note", FromPath: "b/x.md"}, []int64{4}},
		{"same directory first", link.Ref{Kind: "wikilink", Name: "note", FromPath: "d/x.md"}, []int64{5}},
		{"nearer in the tree", link.Ref{Kind: "wikilink", Name: "note", FromPath: "b/x/y.md"}, []int64{4}},
		{"exact spelling before nearness", link.Ref{Kind: "wikilink", Name: "Machine Learning", FromPath: "a/x.md"}, []int64{3}},
		{"exact spelling of the slug", link.Ref{Kind: "wikilink", Name: "machine-learning", FromPath: "b/x.md"}, []int64{2}},
		{"alias", link.Ref{Kind: "wikilink", Name: "ml", FromPath: "x.md"}, []int64{3}},
		{"end of a path", link.Ref{Kind: "wikilink", Name: "c/note", FromPath: "x.md"}, []int64{4}},
		{"whole path", link.Ref{Kind: "relation", Name: "b/c/note", FromPath: "x.md"}, []int64{4}},
		{"path with extension", link.Ref{Kind: "wikilink", Name: "d/note.md", FromPath: "x.md"}, []int64{5}},
		{"path from the linking page", link.Ref{Kind: "wikilink", Name: "../d/note", FromPath: "b/x.md"}, []int64{5}},
		{"punctuation told apart by spelling", link.Ref{Kind: "wikilink", Name: "1*", FromPath: "x.md"}, []int64{8}},
		{"and the other way round", link.Ref{Kind: "wikilink", Name: "1", FromPath: "x.md"}, []int64{9}},
		{"composed and decomposed are one name", link.Ref{Kind: "wikilink", Name: "résumé", FromPath: "x.md"}, []int64{10}},
		{"relative path", link.Ref{Kind: "markdown", Name: "../d/note.md", FromPath: "b/x.md"}, []int64{5}},
		{"relative path without extension", link.Ref{Kind: "markdown", Name: "c/note", FromPath: "b/x.md"}, []int64{4}},
		{"path from the root", link.Ref{Kind: "markdown", Name: "/b/c/note.md", FromPath: "d/x.md"}, []int64{4}},
		{"relative path in other case", link.Ref{Kind: "markdown", Name: "../D/Note.md", FromPath: "b/x.md"}, []int64{5}},
		{"a relative path is no search", link.Ref{Kind: "markdown", Name: "note.md", FromPath: "x.md"}, nil},
		{"out of the space", link.Ref{Kind: "markdown", Name: "../../d/note.md", FromPath: "b/x.md"}, nil},
		{"file link of Org", link.Ref{Kind: "org-file", Name: "notes.org", FromPath: "x.org"}, []int64{6}},
		{"in a vault a relative path", vault("../d/note.md", "b/x.md"), []int64{5}},
		{"in a vault the path from the root", vault("b/c/note.md", "d/x.md"), []int64{4}},
		{"in a vault the path from the page", vault("c/note.md", "b/x.md"), []int64{4}},
		{"in a vault the end of a path", vault("c/note.md", "d/x.md"), []int64{4}},
		{"in a vault the shortest path", vault("note.md", "b/c/x/y.md"), []int64{5}},
		{"in a vault below the folder first", vault("note.md", "b/x.md"), []int64{4}},
		{"in a vault any case", vault("NOTE.md", "b/x.md"), []int64{4}},
		{"in a vault by the key at last", vault("machine_learning.md", "x.md"), []int64{2, 3}},
		{"in a vault a name without extension", vault("note", "d/x.md"), []int64{5}},
		{"in a vault no title", vault("Home.md", "x.md"), nil},
		{"in a vault no way out", vault("./note.md", "x.md"), nil},
		{"the root first", vault("index.md", "e/x.md"), []int64{1}},
		{"also where new links are relative", relative("index.md", "e/x.md"), []int64{1}},
		{"but for a path that says where it begins", relative("./index.md", "e/x.md"), []int64{11}},
		{"a name of Logseq is a title", link.Ref{Kind: "wikilink", Name: "An idea", FromPath: "x.md", Rules: link.Rules{Named: true}}, []int64{12}},
		{"and the file a help", link.Ref{Kind: "wikilink", Name: "d/note", FromPath: "x.md", Rules: link.Rules{Named: true}}, []int64{5}},
		{"the number of a file", link.Ref{Kind: "wikilink", Name: "202104011200", FromPath: "x.md"}, []int64{12}},
		{"the number at the end of a file's name", link.Ref{Kind: "wikilink", Name: "20210401120059", FromPath: "x.md"}, []int64{13}},
		{"an id", link.Ref{Kind: "wikilink", Name: "20210402", FromPath: "x.md"}, []int64{13}},
		{"nothing", link.Ref{Kind: "wikilink", Name: "nowhere", FromPath: "x.md"}, nil},
		{"empty", link.Ref{Kind: "wikilink", Name: "", FromPath: "x.md"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := link.Resolve(tc.ref, candidates(tc.ref))
			if !slices.Equal(got, tc.want) {
				t.Errorf("Resolve(%+v) = %v, want %v", tc.ref, got, tc.want)
			}
		})
	}
}

// TestHeadings: a page's first heading means it, after all that names a page on
// purpose, and where it is the only one.
func TestHeadings(t *testing.T) {
	t.Parallel()
	headed := func(row int64, path, heading string) link.Page {
		return link.Page{Row: row, Path: path, Title: heading, Aliases: []string{heading}}
	}
	pages := []link.Page{
		headed(1, "a/one.md", "Notes"), headed(2, "b/two.md", "Notes"), headed(3, "c/three.md", "Plan"), headed(4, "d/four.md", "Idea"),
		{Row: 5, Path: "e/plan.md", Title: "plan"}, {Row: 6, Path: "f/six.md", Title: "six", Aliases: []string{"idea"}},
	}
	for _, tc := range []struct {
		name, from  string
		want, meant []int64
	}{
		{"Notes", "x.md", nil, []int64{1, 2}},
		{"Notes", "a/x.md", []int64{1}, []int64{1, 2}},
		{"Plan", "c/x.md", []int64{5}, []int64{3}},
		{"Idea", "d/x.md", []int64{6}, []int64{4}},
		{"one", "x.md", []int64{1}, []int64{1}},
		{"Six", "x.md", []int64{6}, []int64{6}},
	} {
		ref := link.Ref{Kind: "wikilink", Name: tc.name, FromPath: tc.from}
		if got := link.Resolve(ref, pages); !slices.Equal(got, tc.want) {
			t.Errorf("[[%s]] in %s leads to %v, want %v", tc.name, tc.from, got, tc.want)
		}
		row, n := link.NewTargets(pages).Lead(ref)
		if n != len(tc.want) || n > 0 && row != tc.want[0] {
			t.Errorf("[[%s]] in %s leads to %d of %d, want %v", tc.name, tc.from, row, n, tc.want)
		}
		if got := link.Meant(tc.name, pages); !slices.Equal(got, tc.meant) {
			t.Errorf("%s means %v, want %v", tc.name, got, tc.meant)
		}
	}
}

// TestLogseqNames: files that Logseq names in its own way are found by the names
// that its links have.
func TestLogseqNames(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]link.Page{
		"Ada Lovelace":       {Row: 1, Path: "pages/Ada%20Lovelace.md", Title: "Ada Lovelace"},
		"work/web":           {Row: 1, Path: "pages/work___web.md", Title: "work/web"},
		"Nov 21st, 2026":     {Row: 1, Path: "journals/2026_11_21.md", Title: "2026_11_21"},
		"November 2nd, 2026": {Row: 1, Path: "journals/2026_11_02.md", Title: "2026_11_02"},
		"🗂️ Daily notes":     {Row: 1, Path: "daily-notes.md", Title: "daily-notes"},
		"Daily notes":        {Row: 1, Path: "🗂️ Daily notes.md", Title: "🗂️ Daily notes"},
	} {
		ref := link.Ref{Kind: "wikilink", Name: name, FromPath: "x.md"}
		if !slices.Contains(link.Names(page), link.Key(ref.Kind, name)) {
			t.Errorf("%s: its key %q is none of %q", name, link.Key(ref.Kind, name), link.Names(page))
		}
		if got := link.Resolve(ref, []link.Page{page}); len(got) != 1 {
			t.Errorf("[[%s]] does not lead to %s", name, page.Path)
		}
	}
}

func TestAmbiguous(t *testing.T) {
	t.Parallel()
	ref := link.Ref{Kind: "wikilink", Name: "note", FromPath: "x.md"}
	twins := []link.Page{
		{Row: 1, Path: "a/note.md", Title: "note"},
		{Row: 2, Path: "b/note.md", Title: "note"},
	}
	if got := link.Resolve(ref, twins); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("Resolve = %v, want both", got)
	}
}
