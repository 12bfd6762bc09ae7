package retrieve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// found searches and returns the slugs of the hits, in order.
func found(t *testing.T, a *memory.Session, req retrieve.SearchRequest) string {
	t.Helper()
	var slugs []string
	for _, h := range apptest.OK(read.Search(t.Context(), a, req))(t).Items {
		slugs = append(slugs, h.Slug)
	}
	return strings.Join(slugs, " ")
}

func TestMetadataFilters(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "notes", Root: b.Dir("notes", map[string]string{
		"a.md": "---\nstatus: Draft\npriority: 9\ntags: [x, y]\nbuild:\n  tool: make\ndone: null\n---\nA stone.\n",
		"b.md": "---\nstatus: stale\npriority: 10\ntags: [x]\ndone: true\n---\nA stone.\n",
		"c.md": "---\nstatus: in review\npriority: high\n---\nA stone.\n",
		"d.md": "A stone.\n",
	})}))(t)
	for where, want := range map[string]string{
		`{"status":"draft"}`:                            "a",
		`{"status":{"$in":["draft","in review"]}}`:      "a c",
		`{"priority":{"$gt":9}}`:                        "b",
		`{"priority":{"$gte":9}}`:                       "a b",
		`{"priority":{"$lt":9.5}}`:                      "a",
		`{"priority":{"$between":[9,10]}}`:              "a b",
		`{"priority":{"$ne":9}}`:                        "b c d",
		`{"tags":["x","y"]}`:                            "a",
		`{"tags":"x"}`:                                  "a b",
		`{"build.tool":"make"}`:                         "a",
		`{"done":true}`:                                 "b",
		`{"done":null}`:                                 "a c d",
		`{"done":null,"tags":"x"}`:                      "a",
		`{}`:                                            "a b c d",
		`priority $in 9, high`:                          "a c",
		`priority $between 9.5, 11`:                     "b",
		`status:"in review"`:                            "c",
		`status:draft status:stale`:                     "a b",
		`-status:draft`:                                 "b c d",
		`tag:x -where:"priority $between 10, 20"`:       "a",
		`where:"status $in draft, stale" -where:done`:   "a",
		`{"status": {"$between": ["draft", "in use"]}}`: "a c",
	} {
		for _, words := range []string{"", "stone"} {
			if got := found(t, a, retrieve.SearchRequest{Query: words, Sync: true, Narrow: retrieve.Narrow{Where: []string{where}}}); got != want {
				t.Errorf("%q, %s: %q, want %q", words, where, got, want)
			}
		}
		list := apptest.OK(retrieve.Pages(t.Context(), a, retrieve.ListRequest{Within: retrieve.Within{Where: []string{where}}}))(t)
		if len(list.Items) != len(strings.Fields(want)) {
			t.Errorf("%s lists %d pages, want %s", where, len(list.Items), want)
		}
	}
	for query, want := range map[string]string{
		`stone where:"status $in draft, stale"`:   "a b",
		`stone (status:draft OR [priority:high])`: "a c",
		`stone status:"in review"`:                "c",
		`stone -where:"priority $in 9, 10"`:       "c d",
	} {
		if got := found(t, a, retrieve.SearchRequest{Query: query, Sync: true}); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := found(t, a, retrieve.SearchRequest{Narrow: retrieve.Narrow{Statuses: []string{"draft", "in review"}}}); got != "a c" {
		t.Errorf("statuses: %q", got)
	}
	_, err := read.Search(t.Context(), a, retrieve.SearchRequest{Narrow: retrieve.Narrow{Where: []string{`{"priority":{"$near":9}}`}}})
	if e := kb.AsError(err); e.Code != kb.Usage || !slices.ContainsFunc([]string{"$between", "$in"}, func(op string) bool { return strings.Contains(e.Hint, op) }) {
		t.Errorf("an unknown operator: %v, %s", err, e.Hint)
	}
}

// Test "Search with filters" of section 13.3 of the specification of Markdown graphs.
func TestSection13_3SearchWithFilters(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "notes", Root: b.Dir("notes", map[string]string{
		"a.md": "---\ntype: concept\n---\nA stone.\n", "b.md": "---\ntype: person\n---\nA stone.\n", "c.md": "---\ntype: Concept\n---\nA stone.\n",
	})}))(t)
	if got := found(t, a, retrieve.SearchRequest{Query: "stone", Sync: true, Narrow: retrieve.Narrow{Types: []string{"concept"}}}); got != "a c" {
		t.Errorf("found %q", got)
	}
}

func TestPermalinkTitleAndCategoryFilters(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "notes", Root: b.Dir("notes", map[string]string{
		"Specs/Search Engine.md": "---\ntitle: Search Engine\n---\nA stone.\n\n- [Decision] keep it\n",
		"Specs/deep/other.md":    "---\npermalink: elsewhere/mine\n---\nA stone.\n\n- [fact] it is grey\n",
		"c.md":                   "A stone engine.\n",
	})}))(t)
	const search, other = "Specs/Search Engine", "Specs/deep/other"
	for query, want := range map[string]string{
		"stone permalink:specs/search-engine":              search,
		"permalink:specs/*":                                search,
		"stone permalink:elsewhere/mine":                   other,
		"permalink:specs/deep/other":                       "",
		"permalink:c permalink:elsewhere/*":                other + " c",
		"stone -permalink:*e*":                             "c",
		"intitle:ngin":                                     search,
		"stone intitle:OTHER":                              other,
		"category:decision":                                search,
		"stone (category:fact OR intitle:ngin) -intitle:x": search + " " + other,
	} {
		if got := found(t, a, retrieve.SearchRequest{Query: query, Sync: true}); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for _, tc := range []struct {
		mode        api.Mode
		query, want string
	}{
		{api.ModeTitle, "engine", search}, {api.ModeTitle, "stone", ""}, {api.ModeTitle, "engine -search", ""},
		{api.ModePermalink, "specs/search-engine", search}, {api.ModePermalink, "memory://elsewhere/*", other}, {api.ModePermalink, "engine", ""},
		{api.ModePermalink, "", search + " " + other + " c"}, {api.ModeText, "engine", search + " c"},
	} {
		if got := found(t, a, retrieve.SearchRequest{Query: tc.query, Mode: tc.mode}); got != tc.want {
			t.Errorf("%s %q: %q, want %q", tc.mode, tc.query, got, tc.want)
		}
	}
	r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Narrow: retrieve.Narrow{Permalinks: []string{"elsewhere/mine"}, InTitle: []string{"her"}, Categories: []string{"fact"}}}))(t)
	if len(r.Items) != 1 || r.Items[0].Permalink != "elsewhere/mine" {
		t.Errorf("%+v", r.Items)
	}
}

// Tests "FTS basic search", "FTS special character handling", "FTS relaxed fallback" and
// "Pagination" of section 13.3.
func TestSection13_3Words(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	files := map[string]string{
		"basics.md": "---\ntitle: Machine Learning Basics\n---\nText.\n", "node.md": "---\ntitle: node-js-tutorial\n---\nText.\n",
		"tips.md": "project management tips\n",
	}
	var pages []string
	for i := range 100 {
		name := fmt.Sprintf("page-%03d", i)
		pages, files[name+".md"] = append(pages, name), "One grey stone.\n"
	}
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "notes", Root: b.Dir("notes", files)}))(t)
	r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "machine learning", Sync: true}))(t)
	if len(r.Items) != 1 || r.Items[0].Slug != "basics" || r.Items[0].Score <= 0 {
		t.Errorf("basic: %+v", r.Items)
	}
	if got := found(t, a, retrieve.SearchRequest{Query: "node-js"}); got != "node" {
		t.Errorf("special characters: %q", got)
	}
	r = apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "project planning ideas"}))(t)
	if len(r.Items) != 1 || r.Items[0].Slug != "tips" || !r.Relaxed || r.AllWords != 0 {
		t.Errorf("relaxed: %+v", r)
	}
	if got, want := found(t, a, retrieve.SearchRequest{Query: "stone", Limit: 10, Offset: 10}), strings.Join(pages[10:20], " "); got != want {
		t.Errorf("page 2: %q, want %q", got, want)
	}
}
