package retrieve_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// An exhaustive answer has more pages than a list of the best has, in parts that fit
// together, and says how it was decided and what was not compared.
func TestExhaustiveSearch(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b, ctx := apptest.New(t), context.Background()
	files := map[string]string{
		"harbour.md": "# Harbour\n\nThe lighthouse was painted, and a keeper lives in the village.\n",
		"rent.md":    "# Rent\n\nThe landlord raised what we pay for the flat each month.\n",
	}
	const dinners = 120 // more than the best of a list
	for i := range dinners {
		files[fmt.Sprintf("dinner-%03d.md", i)] = fmt.Sprintf("# Dinner %d\n\nWe ate at the restaurant %d by the river.\n", i, i)
	}
	root := b.Dir("notes", files)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "notes"}))(t)
	a = a.In("notes")
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	ask := func(text string, change func(*retrieve.SearchRequest)) api.SearchResult {
		t.Helper()
		req := retrieve.SearchRequest{Query: text, Mode: api.ModeHybrid, Exhaustive: true, Limit: 50}
		if change != nil {
			change(&req)
		}
		return apptest.OK(read.Search(ctx, a, req))(t)
	}
	const question = "which restaurants did we eat at by the river?"
	r := ask(question, nil)
	if c := r.Completeness; c == nil || c.Complete || len(c.Missing) == 0 || !strings.Contains(strings.Join(c.Missing, " "), "not embedded") || r.Total != dinners {
		t.Errorf("without vectors: %+v %+v %d %v", c, c.Words, r.Total, r.Notes)
	}
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)

	found := map[string]int{}
	for offset := 0; offset >= 0; {
		r = ask(question, func(req *retrieve.SearchRequest) { req.Offset = offset })
		for _, h := range r.Items {
			found[h.Slug]++
		}
		if offset += 50; r.Next == "" {
			offset = -1
		}
	}
	for slug, n := range found {
		if n != 1 || !strings.HasPrefix(slug, "dinner") {
			t.Errorf("%s is in the answer %d times", slug, n)
		}
	}
	c := r.Completeness
	if len(found) != dinners || r.Total != dinners || c == nil || !c.Complete || c.Pages != dinners {
		t.Errorf("%d pages, total %d, %+v", len(found), r.Total, c)
	}
	if c.Words == nil || c.Meaning == nil || c.Words.Least <= 0 || c.Meaning.Least <= 0 {
		t.Errorf("no thresholds: %+v", c)
	}
	// A page in other words bears on a question, one with a part of the words that says
	// something else is counted.
	r = ask("how much is the lease of our apartment?", nil)
	if len(r.Items) == 0 || r.Items[0].Slug != "rent" {
		t.Errorf("by meaning: %+v", r.Items)
	}
	r = ask("lighthouse zeppelin quorum basilisk ferret", nil)
	if c := r.Completeness; c.Words.Pages != 1 || c.Words.Best >= c.Words.Least || c.Words.Best <= 0 {
		t.Errorf("left out by words: %+v, %d items", c.Words, len(r.Items))
	}
	if r = ask(question, func(req *retrieve.SearchRequest) { req.Query, req.Narrow.Paths = "", []string{"dinner-00*"} }); r.Total != 10 || !strings.Contains(r.Completeness.Decided, "filters") {
		t.Errorf("filters alone: %d, %+v", r.Total, r.Completeness)
	}
	for _, change := range []func(*retrieve.SearchRequest){
		func(req *retrieve.SearchRequest) { req.Mode = api.ModeWords },
		func(req *retrieve.SearchRequest) { req.Narrow.Items = []string{"observation"} },
	} {
		req := retrieve.SearchRequest{Query: question, Mode: api.ModeHybrid, Exhaustive: true}
		change(&req)
		if _, err := read.Search(ctx, a, req); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%+v: %v", req, err)
		}
	}
}

// Filters of texts ask for no words: every page that meets them is in the answer.
func TestExhaustiveFilters(t *testing.T) {
	t.Parallel()
	b, ctx := apptest.New(t), context.Background()
	root := b.Dir("notes", map[string]string{
		"one.md":   "# One\n\nRelease v12 of the parser.\n",
		"two.md":   "# Two\n\n- [ ] write to Ada\n",
		"three.md": "# Three\n\nzzz\n",
	})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "notes"}))(t)
	a = a.In("notes")
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	for text, want := range map[string]string{
		`/v\d+/`:       "one",
		`task-todo:""`: "two",
		`-line:zzz`:    "one two",
		`line:zzz`:     "three",
	} {
		r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: text, Mode: api.ModeHybrid, Exhaustive: true, Limit: 50}))(t)
		var got []string
		for _, h := range r.Items {
			got = append(got, h.Slug)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want || r.Total != len(got) {
			t.Errorf("%s: %v of %d, %+v", text, got, r.Total, r.Completeness)
		}
		if c := r.Completeness; !c.Complete && c.Decided == "the filters alone" {
			t.Errorf("%s: %+v", text, r.Completeness)
		}
	}
	// What filters alone could not see is missing as well.
	b.Dir("notes", map[string]string{"long.md": "# Long\n\n" + strings.Repeat("a", 200<<10) + " q7\n"})
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	s := apptest.OK(retrieve.Plan(ctx, a, retrieve.SearchRequest{Query: `/.{0,400} q\d/`, Mode: api.ModeHybrid, Exhaustive: true}))(t)
	s.Freshened(retrieve.Freshened{
		Reports: []api.SyncReport{{Skipped: []api.Skipped{{}}}}, Stale: []kb.Space{{}, {}}, Unread: 3,
	})
	c := apptest.OK(s.Answer(ctx))(t).Completeness
	want := []string{
		"3 files that could not be read", "1 file skipped although named like pages", "2 spaces not checked for changes",
		"1 page left out by the limits of filters of texts",
	}
	if c.Complete || !slices.Equal(c.Missing, want) {
		t.Errorf("missing: %+v", c)
	}
}

// A hit that only its meaning found has the line of the page that a regular expression matches.
func TestLineOfAnExpressionByMeaning(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b, ctx := apptest.New(t), context.Background()
	text := "# Log\n" + strings.Repeat("\n## Boat\n\nThe harbour master painted a lighthouse, and gulls circled over it all day while ropes dried.\n", 20) +
		"\n## Rent\n\nThe landlord raised what tenants pay each month.\nForm q77 says so.\n"
	root := b.Dir("notes", map[string]string{"log.md": text})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "notes"}))(t)
	a = a.In("notes")
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: `apartment lease cost /q\d\d/`, Mode: api.ModeVector}))(t)
	line := strings.Count(text, "\n")
	if len(r.Items) != 1 || r.Items[0].Lines != [2]int{line, line} {
		t.Errorf("want line %d: %+v", line, r.Items)
	}
}

// The budget of an exhaustive answer is also for pages without a text, and a file that is
// read under another path is no gap.
func TestExhaustiveBudget(t *testing.T) {
	t.Parallel()
	b, ctx := apptest.New(t), context.Background()
	files := map[string]string{"folder.md/inner.md": "# Inner\n\nWe ate at the restaurant in the garden.\n"}
	for i := range 100 {
		files[fmt.Sprintf("dinner-%03d.md", i)] = fmt.Sprintf("# Dinner %d\n\nWe ate at the restaurant %d by the river.\n", i, i)
	}
	root := b.Dir("notes", files)
	if err := os.Symlink("dinner-001.md", filepath.Join(root, "again.md")); err != nil {
		t.Skip(err)
	}
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "notes"}))(t)
	a = a.In("notes")
	const around = 40
	req := retrieve.QueryRequest{PerPage: around, Listed: true, SearchRequest: retrieve.SearchRequest{
		Query: "restaurant", Mode: api.ModeHybrid, Exhaustive: true, Limit: 100, Sync: true,
	}}
	for _, budget := range []int{10, 200, 800, 4000} {
		req.Budget = budget
		r := apptest.OK(read.Query(ctx, a, req))(t)
		if spent := r.Spent + around*len(r.Items); len(r.Items) == 0 || spent > max(budget, around) {
			t.Errorf("budget %d: %d pages, %d tokens", budget, len(r.Items), spent)
		}
		if r.Total != 101 || r.Next == "" {
			t.Errorf("budget %d: total %d, next %q", budget, r.Total, r.Next)
		}
		if gaps := strings.Join(r.Completeness.Missing, "; "); strings.Contains(gaps, "skipped") {
			t.Errorf("budget %d: %s", budget, gaps)
		}
	}
}
