package retrieve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A line of three words that many pages have is shown only where no other has words
// of the query. A heading of two words, which stand anywhere, is as good as other text.
func TestLinesThatManyPagesShare(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line  string
		shown bool
	}{
		{"## Open harbours", true},
		{"- [ ] Open harbours", true},
		{"> *Open harbours*", true},
		{"## Open harbours now", false},
		{"Open harbours of 1900", false},
	} {
		files := map[string]string{}
		for i := range 12 {
			files[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("# Page %d\n\n%s\n\nAll the rest of page %d, among it one of the harbours.\n", i, tc.line, i)
		}
		b := apptest.New(t)
		root := b.Dir("notes", files)
		a := b.Open()
		apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
		apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
		r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "harbours open", SnippetLen: 40}))(t)
		if len(r.Items) == 0 {
			t.Errorf("%s: nothing is found", tc.line)
		}
		for _, h := range r.Items {
			if shown := strings.Contains(h.Snippet, "Open harbours"); shown != tc.shown {
				t.Errorf("%s: %s shows %q", tc.line, h.Ref, h.Snippet)
			}
		}
	}
}

// Comments are found, and never shown; an address is.
func TestSnippetsHaveNoComments(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{
		"a.md":  "# Harbours\n\nThe pilots wait.\n\n%%\nask the lighthouse\n%%\n\nThey sail.\n",
		"b.md":  "# Boats\n\nThe boats <!-- of the lighthouse --> wait.\n",
		"c.md":  "# Ships\n\nThe [ships](https://example.org/lighthouse) wait. %% soon %%\n",
		"d.org": "* Buoys\n\n# the lighthouse\nThe buoys wait.\n",
	})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "lighthouse"}))(t)
	got := map[string]string{}
	for _, h := range r.Items {
		got[h.Slug] = h.Snippet
	}
	want := map[string]string{
		"a": "# Harbours The pilots wait. They sail.", "b": "# Boats The boats wait.", "c": "# Ships The [ships](https://example.org/lighthouse) wait.", "d": "* Buoys The buoys wait.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A page that is served whole has no headings of nothing but comments, and keeps empty ones.
func TestHeadingsOfCommentsAreLeftOut(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{
		"a.md": "# Harbours\n\n## Open\n\nThe harbours are open.\n\n## Empty\n\n## Related\n\n%% Add links below this line %%\n",
	})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	r := apptest.OK(read.Query(t.Context(), a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "harbours"}}))(t)
	want := "# Harbours\n\n## Open\n\nThe harbours are open.\n\n## Empty"
	if len(r.Items) != 1 || strings.TrimSpace(r.Items[0].Text) != want {
		t.Errorf("%+v", r.Items)
	}
}

// Lines of a template are not served, of one word or of more, in a list or among other lines,
// while headings, code, and what the question is about stay.
func TestLinesOfATemplateAreNotServed(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("# Plugin %d\n\nIt draws harbours of the kind %d.\n\nPlugin ID: harbour-%d\nMobile compatible: Yes\nOffered as is\nMade by: Ada %d\n\n"+
			"## Overview\n\n- Minimum version\n- Size %d\n\n```\nimport paint\n\nprepare it\ndraw(%d)\n```\n", i, i, i, i, i, i)
	}
	b := apptest.New(t)
	root := b.Dir("notes", files)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	for question, want := range map[string]string{
		"which plugin draws harbours?": "# Plugin %[1]s\n\nIt draws harbours of the kind %[1]s.\n\nPlugin ID: harbour-%[1]s\nMobile compatible: Yes\nMade by: Ada %[1]s\n\n## Overview\n\n- Size %[1]s\n\n```\nimport paint\n\nprepare it\ndraw(%[1]s)\n```",
		"offered harbours":             "# Plugin %[1]s\n\nIt draws harbours of the kind %[1]s.\n\nPlugin ID: harbour-%[1]s\nMobile compatible: Yes\nOffered as is\nMade by: Ada %[1]s\n\n## Overview\n\n- Size %[1]s\n\n```\nimport paint\n\nprepare it\ndraw(%[1]s)\n```",
	} {
		r := apptest.OK(read.Query(t.Context(), a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: question}}))(t)
		if len(r.Items) < 5 {
			t.Errorf("%s: %d pages", question, len(r.Items))
		}
		for _, h := range r.Items {
			if text := fmt.Sprintf(want, strings.TrimPrefix(h.Slug, "p")); strings.TrimSpace(h.Text) != text {
				t.Errorf("%s: %s serves\n%s\nand not\n%s", question, h.Ref, h.Text, text)
			}
			if h.LeftOut == 0 {
				t.Errorf("%s: %s says that nothing is left out", question, h.Ref)
			}
		}
	}
	r := apptest.OK(read.Query(t.Context(), a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "which plugin draws harbours?", Limit: 5}, Depth: api.DepthFull}))(t)
	for _, h := range r.Items {
		if !strings.Contains(h.Text, "Offered as is") || !strings.Contains(h.Text, "Minimum version") || h.LeftOut != 0 {
			t.Errorf("all of %s is\n%s", h.Ref, h.Text)
		}
	}
}

// What is remembered of a line holds until the next commit.
func TestALineIsSharedNoMore(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("# Page %d\n\nOpen harbours of 1900\n\nAll the rest of page %d, among it one of the harbours.\n", i, i)
	}
	root := b.Dir("notes", files)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	for _, want := range []bool{false, false, true} {
		if want {
			apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "p0", Text: []byte("# Page 0\n\nNothing.\n"), Overwrite: true}))(t)
		}
		r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "harbours open", SnippetLen: 40}))(t)
		for _, h := range r.Items {
			if shown := strings.Contains(h.Snippet, "Open harbours"); shown != want {
				t.Errorf("%s shows %q", h.Ref, h.Snippet)
			}
		}
	}
}
