package scenarios_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A list read in parts has every page once, also where all score alike and
// were indexed in another order than they are shown in.
func TestPartsOfAListFitTogether(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "notes"}))(t)
	var want []string
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(40) {
		name := fmt.Sprintf("page-%02d", i)
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: name, Text: []byte("---\ntype: stone\naliases: [heap]\n---\nOne grey stone.\n")}))(t)
		want = append(want, "notes:"+name)
	}
	slices.Sort(want)
	for _, tc := range []struct {
		query string
		mode  api.Mode
	}{
		{"type:stone", api.ModeWords}, {"stone", api.ModeWords}, {"type:stone", api.ModeHybrid}, {"type:stone", api.ModeVector},
		{"stone pebble", api.ModeWords}, {"heap", api.ModeWords},
	} {
		var got []string
		for next := "0"; next != ""; {
			offset := apptest.OK(strconv.Atoi(next))(t)
			r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: tc.query, Mode: tc.mode, Limit: 7, Offset: offset}))(t)
			for _, h := range r.Items {
				got = append(got, h.Ref)
			}
			if r.Total != len(want) || len(r.Items) == 0 {
				t.Fatalf("%s, %s: %d of %d pages from %d on", tc.query, tc.mode, len(r.Items), r.Total, offset)
			}
			next = r.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, %s: %v", tc.query, tc.mode, got)
		}
	}
}

// A credential in a summary is not served either.
func TestQueryHidesCredentials(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	const key = "https://ada:Kx7vQ2mZp9@example.org/repo"
	root := b.Dir("notes", map[string]string{"keys.md": "# Keys\n\n> The deploy key is " + key + " for now.\n\nDeploy with it.\n"})
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	for _, depth := range []api.Depth{api.DepthSummary, api.DepthSection, api.DepthFull} {
		r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "deploy", Mode: api.ModeWords}, Depth: depth}))(t)
		if len(r.Items) != 1 || r.Items[0].Text == "" || strings.Contains(text(t, r), key) {
			t.Errorf("%s: %s", depth, text(t, r))
		}
	}
}

// What an answer lacks it says, with the remedy: files that cannot be read,
// directories that cannot be synced, pages that wait to be embedded.
func TestAnswersSayWhatTheyLack(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "puppies", Mode: api.ModeHybrid}))(t)
	if r.Left != 4 || r.SearchMode != api.ModeWords || r.Mode != api.ModeWords || r.SyncedAt == nil || len(r.Items) != 1 {
		t.Errorf("nothing is embedded: %s", text(t, r))
	}
	if !noted(r.Notes, "4 pages not embedded yet: cairn embed") || !noted(r.Notes, "searched by words only: ") {
		t.Errorf("nothing is embedded: %q", r.Notes)
	}
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	r = apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "puppies", Mode: api.ModeHybrid, Sync: true}))(t)
	if len(r.Notes) != 0 || r.SearchMode != "" || r.Mode != api.ModeHybrid || r.SyncedAt != nil || r.Synced == nil {
		t.Errorf("all is well: %s", text(t, r))
	}
}

// However many hits are asked for, what there is comes.
func TestSearchForAllThereIs(t *testing.T) {
	t.Parallel()
	a, ctx := meaningBed(t), context.Background()
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	for _, mode := range []api.Mode{api.ModeWords, api.ModeVector, api.ModeHybrid} {
		for _, words := range []string{"puppies", "path:dog.md"} {
			req := retrieve.SearchRequest{Query: words, Mode: mode, Limit: math.MaxInt}
			if r := apptest.OK(read.Search(ctx, a, req))(t); len(r.Items) == 0 || r.Items[0].Path != "dog.md" || r.Next != "" {
				t.Errorf("%s, %s: %s", mode, words, text(t, r))
			}
			for _, req.Limit = range []int{1, math.MaxInt} {
				req.Offset = math.MaxInt
				if r := apptest.OK(read.Search(ctx, a, req))(t); len(r.Items) != 0 || r.Next != "" {
					t.Errorf("%s, %s, beyond the end: %s", mode, words, text(t, r))
				}
			}
		}
	}
}

func TestSearchWhereADirectoryIsGone(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{"a.md": "A stone.\n"})
	other := b.Dir("other", map[string]string{"b.md": "Another stone.\n"})
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: other}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
	if err := os.WriteFile(filepath.Join(other, "c.md"), []byte("A third stone.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(root, root+"-away"); err != nil {
		t.Fatal(err)
	}
	r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "stone", All: true, Sync: true}))(t)
	if len(r.Items) != 3 || r.SyncedAt == nil || !noted(r.Notes, "notes was not checked for changes: ") {
		t.Errorf("found %v, noted %q", refsOf(r), r.Notes)
	}
}

// A record of the journal that cannot be read keeps nobody from reading.
func TestSearchBesideAnUnreadableRecord(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{"a.md": "A stone.\n"})
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	plantRecord(t, apptest.OK(space.DatabasePath(b.Opts.Place))(t), `{"version":99}`)
	for _, mode := range []api.Mode{api.ModeWords, api.ModeHybrid} {
		r, err := read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "stone", Mode: mode, Sync: true, Embed: 1}})
		if err != nil || len(r.Items) != 1 || !noted(r.Notes, "was not checked") {
			t.Errorf("%s: %v, %v, %q (hint %s)", mode, err, len(r.Items), r.Notes, kb.AsError(err).Hint)
		}
	}
}

func noted(notes []string, part string) bool {
	return slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, part) })
}

// Where few pages have all the words, those with some of them follow; what is
// quoted makes do with few.
func TestPagesWithSomeWordsFollow(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	files := map[string]string{"both.md": "A granite arch. " + strings.Repeat("It stands in the rain, and in the sun. ", 20)}
	for i := range 14 {
		files[fmt.Sprintf("granite-%02d.md", i)] = "Granite, granite.\n"
	}
	root := b.Dir("notes", files)
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	for _, tc := range []struct {
		query           string
		total, allWords int
		relaxed         bool
		first           string
	}{
		{"granite arch", 15, 1, true, "notes:both"},
		{"granite bridge", 15, 0, true, "notes:granite-00"},
		{"granit", 15, 0, false, "notes:granite-00"},
		{"granite arc", 15, 0, true, "notes:both"}, // as the beginning of a word
		{"granite", 15, 0, false, "notes:granite-00"},
		{`"granite arch"`, 1, 0, false, "notes:both"},
		{`"granite bridge"`, 15, 0, true, "notes:granite-00"},
	} {
		var got []string
		for next := "0"; next != ""; {
			r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: tc.query, Limit: 4, Offset: apptest.OK(strconv.Atoi(next))(t)}))(t)
			if r.Total != tc.total || r.AllWords != tc.allWords || r.Relaxed != tc.relaxed {
				t.Errorf("%s: %d pages, %d have all words, relaxed %v", tc.query, r.Total, r.AllWords, r.Relaxed)
			}
			for _, h := range r.Items {
				got = append(got, h.Ref)
			}
			next = r.Next
		}
		if len(got) != tc.total || got[0] != tc.first {
			t.Errorf("%s: %v", tc.query, got)
		}
		slices.Sort(got)
		if len(slices.Compact(got)) != tc.total {
			t.Errorf("%s: a page comes twice: %v", tc.query, got)
		}
	}
}
