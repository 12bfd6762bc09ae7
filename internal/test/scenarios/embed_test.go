package scenarios_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// meanings are notes of which none shares a word with the questions below.
var meanings = map[string]string{
	"dog.md":     "Canine behaviour\n\nPuppies learn commands by repetition and treats.\n",
	"money.md":   "Interest compounds when savings stay in the bank.\n",
	"cooking.md": "Simmer the sauce with basil until it thickens.\n",
	"sleep.md":   "Resting well at night helps the brain keep memories.\n",
}

func meaningBed(t *testing.T) *memory.Session {
	t.Helper()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := apptest.New(t)
	root := b.Dir("notes", meanings)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(context.Background(), a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(context.Background(), a, gitsync.SyncRequest{}))(t)
	return a
}

func TestSearchByMeaning(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	before := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "training a pet", Mode: api.ModeHybrid}))(t)
	if before.Left != 4 || len(before.Items) != 0 && before.Items[0].Why.Chunk != [2]int{} {
		t.Errorf("nothing is embedded yet: %+v", before)
	}
	r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	if r.Pages != 4 || r.Left != 0 || r.Chunks < 4 {
		t.Errorf("embedded %+v", r)
	}
	for question, want := range map[string]string{
		"training a pet": "dog.md", "how deposits grow over the years": "money.md", "italian recipe": "cooking.md", "insomnia and forgetting": "sleep.md",
	} {
		for _, mode := range []api.Mode{api.ModeVector, api.ModeHybrid} {
			got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: question, Mode: mode, Explain: true}))(t)
			if got.Left != 0 || len(got.Items) == 0 || got.Items[0].Path != want {
				t.Errorf("%s, %s: %+v", question, mode, got.Items)
				continue
			}
			if e := got.Items[0].Why.Meaning; e == nil || e.Rank != 1 {
				t.Errorf("%s: explained by %+v", question, got.Items[0].Why)
			}
		}
	}
	for _, f := range []retrieve.Fusion{retrieve.Weighted, retrieve.RRF, retrieve.SetUnion} {
		got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "basil sauce", Mode: api.ModeHybrid, Fusion: f}))(t)
		if len(got.Items) == 0 || got.Items[0].Path != "cooking.md" {
			t.Errorf("%s: %+v", f, got.Items)
		}
	}
	if _, err := read.Search(ctx, a, retrieve.SearchRequest{Query: "x", Mode: "magic"}); kb.CodeOf(err) != kb.Usage {
		t.Errorf("an unknown mode: %v", err)
	}
}

// Vectors of the texts from before are better than none, where all pages wait.
func TestSearchByMeaningWhereAllPagesWait(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	for path := range meanings {
		apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: strings.TrimSuffix(path, ".md"), Edits: []doc.Edit{doc.Append{Text: "More.\n"}}}))(t)
	}
	got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "training a pet", Mode: api.ModeVector}))(t)
	if got.Left != 4 || len(got.Items) == 0 || got.Items[0].Path != "dog.md" {
		t.Errorf("%d pages wait, found %+v", got.Left, got.Items)
	}
}

func TestEmbeddingFollowsThePages(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	find := func(question string) []string {
		var out []string
		got := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: question, Mode: api.ModeVector, Limit: 1}))(t)
		for _, h := range got.Items {
			out = append(out, h.Path)
		}
		return out
	}
	if got := find("training a pet"); got[0] != "dog.md" {
		t.Fatalf("found %v", got)
	}
	apptest.OK(change.Move(ctx, a, change.MoveRequest{Ref: "dog", To: "animals/dog", KeepLinks: true}))(t)
	r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	if r.Chunks != 0 || r.Reused == 0 {
		t.Errorf("a move made something to compute: %+v", r)
	}
	if got := find("training a pet"); got[0] != "animals/dog.md" {
		t.Errorf("found %v", got)
	}
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "money", Edits: []doc.Edit{doc.SetTruth{Text: "Whales sing across oceans.\n"}}}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	if got := find("sounds of sea mammals"); got[0] != "money.md" {
		t.Errorf("found %v after the edit", got)
	}
	apptest.OK(change.Delete(ctx, a, change.DeleteRequest{Ref: "animals/dog"}))(t)
	if got := find("training a pet"); len(got) > 0 && got[0] == "animals/dog.md" {
		t.Errorf("a deleted page was found: %v", got)
	}
}

func TestQueryStaysWithinItsBudget(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "long", Text: []byte("# Sauces\n\n> All about sauces.\n\n" + strings.Repeat("Basil and tomato make a sauce.\n\n", 300))}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	for _, budget := range []int{5, 60, 500, 10000} {
		r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "tomato sauce"}, Budget: budget}))(t)
		sum := 0
		for _, h := range r.Items {
			sum += h.Tokens
		}
		if sum > budget || sum != r.Spent {
			t.Errorf("budget %d: %d tokens, said to be %d", budget, sum, r.Spent)
		}
		if len(r.Items) == 0 || r.Items[0].Path != "long.md" {
			t.Errorf("found %+v", r.Items)
		}
		if budget == 10000 && (r.Items[0].Depth != api.DepthFull || r.Items[0].LeftOut != 0) {
			t.Errorf("with room for all, served %s and left %d out", r.Items[0].Depth, r.Items[0].LeftOut)
		}
	}
}

// A budget that is spent at once still makes progress, keeps it, and the rest
// is done later without computing anything twice.
func TestEmbedKeepsPartOfALargePage(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	var text strings.Builder
	for i := range 160 {
		fmt.Fprintf(&text, "- Stone number %d lies here.\n", i)
	}
	root := b.Dir("notes", map[string]string{"large.md": text.String()})
	// A clock that goes on by a second whenever it is read.
	b.Clock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Second)
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	first := apptest.OK(embedding.Embed(ctx, a, embedding.Request{Budget: 1}))(t)
	if first.Chunks == 0 || first.Chunks >= 160 || first.Pages != 0 || first.Left != 1 {
		t.Fatalf("with a budget: %+v", first)
	}
	second := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	if second.Reused != first.Chunks || first.Chunks+second.Chunks < 160 || second.Pages != 1 || second.Left != 0 {
		t.Errorf("first %+v, then %+v", first, second)
	}
	if third := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); third.Pages != 0 || third.Chunks != 0 {
		t.Errorf("what was done ran again: %+v", third)
	}
}

// Who yields begins nothing new once others want the processors, but for some progress.
func TestEmbedYields(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	notes := map[string]string{}
	for i := range 80 { // more than are given to the model at once
		notes[fmt.Sprintf("%02d.md", i)] = fmt.Sprintf("Stone number %d lies here.\n", i)
	}
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("notes", notes)}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	for _, others := range []bool{true, false} {
		r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{Yield: func() bool { return others }, Again: true}))(t)
		if r.Chunks == 0 || (r.Left > 0) != others {
			t.Errorf("others %v: %+v", others, r)
		}
	}
}

// Embedding a space again leaves what other spaces have.
func TestEmbedAgainIsOfOneSpace(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "other"}))(t)
	other := a.For(memory.Caller{Space: "other"})
	apptest.OK(change.Put(ctx, other, change.PutRequest{Ref: "page", Text: []byte("Bees dance.\n")}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{All: true}))(t)
	r := apptest.OK(embedding.Embed(ctx, a.For(memory.Caller{Space: "notes"}), embedding.Request{Again: true}))(t)
	if r.Pages != 4 || r.Chunks < 4 || r.Reused != 0 {
		t.Errorf("again: %+v", r)
	}
	if r := apptest.OK(embedding.Embed(ctx, other, embedding.Request{}))(t); r.Pages != 0 || r.Left != 0 {
		t.Errorf("another space lost its vectors: %+v", r)
	}
}

// What was just written is embedded at once when that is little, and the rest
// of what waits is left alone.
func TestEmbedSoonIsQuick(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	waiting := func() int {
		t.Helper()
		r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "x", Mode: api.ModeVector}))(t)
		return r.Left
	}
	var long strings.Builder
	for i := range 200 {
		fmt.Fprintf(&long, "- Stone number %d lies on the path that leads over the hill to the sea.\n", i)
	}
	many := make([]string, 17)
	for i := range many {
		many[i] = "notes:dog.md"
	}
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "long", Text: []byte(long.String())}))(t)
	for _, refs := range [][]string{nil, many, {"notes:long"}} {
		if r := apptest.OK(embedding.EmbedSoon(ctx, a, refs))(t); r.Pages != 0 || waiting() != 5 {
			t.Errorf("%d refs: %+v", len(refs), r)
		}
	}
	if r := apptest.OK(embedding.EmbedSoon(ctx, a, []string{"notes:dog.md", "notes:dog"}))(t); r.Pages != 1 || waiting() != 4 {
		t.Errorf("one page: %+v", r)
	}
	if r := apptest.OK(embedding.EmbedSoon(ctx, a, []string{"notes:dog"}))(t); r.Pages+r.Chunks != 0 {
		t.Errorf("the same page: %+v", r)
	}
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{Refs: []string{"long"}}))(t)
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "long", Edits: []doc.Edit{doc.Append{Text: "- And a feather."}}}))(t)
	if r := apptest.OK(embedding.EmbedSoon(ctx, a, []string{"notes:long"}))(t); r.Pages != 1 || r.Chunks != 1 {
		t.Errorf("one line more of a long page: %+v", r)
	}
	if _, err := embedding.EmbedSoon(ctx, a, []string{"nothing"}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("a page that is not there: %v", err)
	}
}

// A document stands for the headings in it that are pages, and a heading for
// itself.
func TestEmbedOfADocumentIsOfItsPages(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	text := "#+title: Stones\n\n* Granite\n:PROPERTIES:\n:ID: 11111111-2222-4333-8444-555555555555\n:END:\nHard.\n"
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "stones.org", Text: []byte(text)}))(t)
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{Refs: []string{"11111111-2222-4333-8444-555555555555"}}))(t); r.Pages != 1 || r.Left != 5 {
		t.Errorf("the heading: %+v", r)
	}
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{Refs: []string{"stones"}, Again: true}))(t); r.Pages != 2 || r.Left != 4 {
		t.Errorf("the document: %+v", r)
	}
}

// Whoever has little time does not wait for another process that embeds.
func TestEmbedTakesTurns(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	root := b.Dir("notes", meanings)
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	state := apptest.OK(state.Describe(ctx, a))(t)
	unlock, err := fsys.Lock(ctx, state.Database+".locks/embed.lock", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{Budget: time.Millisecond}))(t)
	if !r.Busy || r.Pages != 0 || r.Left != 4 {
		t.Errorf("while another embeds: %+v", r)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Busy || r.Pages != 4 {
		t.Errorf("after that: %+v", r)
	}
}

// TestDamagedVectors: a page whose vectors are damaged is not left out without a
// word, not in the second search either, and embed mends it.
func TestDamagedVectors(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := apptest.New(t)
	root := b.Dir("notes", meanings)
	a := b.Open()
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	req := retrieve.SearchRequest{Query: "training a pet", Mode: api.ModeVector}
	best := func() string {
		t.Helper()
		if got := apptest.OK(read.Search(ctx, a, req))(t); len(got.Items) > 0 && len(got.Notes) == 0 {
			return got.Items[0].Path
		} else {
			return fmt.Sprint(len(got.Items), got.Notes)
		}
	}
	if got := best(); got != "dog.md" {
		t.Fatal(got)
	}
	damage := func() {
		b.Plant(func(tx store.Tx) error {
			pages, err := tx.Pages().ByPath(ctx, 1, "dog.md")
			if err != nil {
				return err
			}
			v, err := tx.Vectors().Get(ctx, bge.Name, pages[0].Row)
			if err != nil {
				return err
			}
			v.Values[len(v.Values)/2] ^= 1
			return tx.Vectors().Put(ctx, []store.PageVectors{v})
		})
	}
	damage()
	for range 2 {
		if got := best(); !strings.Contains(got, "the vectors of 1 page are damaged") || !strings.HasPrefix(got, "3 ") {
			t.Errorf("with damaged vectors: %s", got)
		}
	}
	// A short while mends what a search has met, a long one looks for it.
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{Budget: time.Minute}))(t); r.Pages != 1 || best() != "dog.md" {
		t.Errorf("mended %+v, and found %s", r, best())
	}
	damage()
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{Budget: time.Minute}))(t); r.Pages != 0 {
		t.Errorf("a short while looked for damage: %+v", r)
	}
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Pages != 1 || best() != "dog.md" {
		t.Errorf("mended %+v, and found %s", r, best())
	}
}

// A question that embeds first finds what it has embedded, also in a process
// that has the other vectors in memory already.
func TestQueryFindsWhatItEmbedded(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	ask := func(question string) string {
		t.Helper()
		r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{
			SearchRequest: retrieve.SearchRequest{Query: question, Mode: api.ModeVector, Embed: time.Hour},
		}))(t)

		if len(r.Items) == 0 || r.Left != 0 {
			t.Fatalf("%s: %d pages, %d left", question, len(r.Items), r.Left)
		}
		return r.Items[0].Path
	}
	for range 2 {
		if got := ask("training a pet"); got != "dog.md" {
			t.Errorf("found %s", got)
		}
	}
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "whales", Text: []byte("Humpbacks sing across oceans.\n")}))(t)
	if got := ask("music of sea mammals"); got != "whales.md" {
		t.Errorf("found %s", got)
	}
}

// Questions that are asked while the memory rests, and after it, are answered
// as before.
func TestRestWhileAsked(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	ask := func() string {
		r, err := read.Search(ctx, a, retrieve.SearchRequest{Query: "training a pet", Mode: api.ModeVector})
		if err != nil || len(r.Items) == 0 {
			t.Errorf("%v, %v", r.Notes, err)
			return ""
		}
		return r.Items[0].Path
	}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for range 3 {
				a.Rest(ctx)
				if got := ask(); got != "dog.md" {
					t.Errorf("found %s", got)
				}
			}
		})
	}
	all.Wait()
	a.RestIfIdle(ctx)
	if got := ask(); got != "dog.md" {
		t.Errorf("found %s", got)
	}
}

// A page that changed since it was embedded is shown with the passage where it
// stands now, and by its words where that is gone.
func TestPassageOfAChangedPage(t *testing.T) {
	t.Parallel()
	a := meaningBed(t)
	ctx := context.Background()
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	ask := func() api.Served {
		t.Helper()
		r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{
			SearchRequest: retrieve.SearchRequest{Query: "training a pet", Mode: api.ModeVector, Explain: true}, Depth: api.DepthSection,
		}))(t)

		if len(r.Items) == 0 || r.Items[0].Path != "dog.md" {
			t.Fatalf("found %+v", r.Items)
		}
		return r.Items[0]
	}
	put := func(text string) {
		t.Helper()
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "dog", Text: []byte(text), Overwrite: true}))(t)
	}
	before := ask()
	put("One.\n\n# New\n\n" + strings.Repeat("A stone lies on the path over the hill to the sea. ", 40) + "\n\n# Dogs\n\n" + meanings["dog.md"])
	if h := ask(); h.Why.Chunk != [2]int{} || h.Text == "" || h.Lines[0] > 9 {
		t.Errorf("a passage that is gone: chunk %v, lines %v, %q", h.Why.Chunk, h.Lines, h.Text)
	}
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	if h := ask(); h.Why.Chunk != [2]int{7, 11} || h.Why.Passage == nil {
		t.Fatalf("embedded: %+v", h.Why)
	}
	put("Two.\n\n\n\nThree.\n\n# New\n\n" + strings.Repeat("A stone lies on the path over the hill to the sea. ", 40) + "\n\n# Dogs\n\n" + meanings["dog.md"])
	if h := ask(); h.Why.Chunk != [2]int{11, 15} || h.Why.Passage == nil || h.Lines != [2]int{11, 15} || !strings.HasSuffix(h.Text, before.Text[len(before.Text)-20:]) {
		t.Errorf("a passage that moved: %+v, lines %v, %q", h.Why, h.Lines, h.Text)
	}
}

// A page with more passages than are looked at first hides no others.
func TestLongListHidesNoPages(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := apptest.New(t)
	root := b.Dir("notes", meanings)
	a, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	b.Plant(func(tx store.Tx) error {
		pages, err := tx.Pages().ByPath(ctx, 1, "sleep.md")
		if err != nil {
			return err
		}
		v, err := tx.Vectors().Get(ctx, bge.Name, pages[0].Row)
		if err != nil {
			return err
		}
		dims, one, err := vector.Unpack(v.Info, v.Values)
		if err != nil {
			return err
		}
		v.Chunks = 1100
		if v.Info, v.Values, err = vector.Pack(dims, slices.Repeat(one[:1], v.Chunks)); err != nil {
			return err
		}
		return tx.Vectors().Put(ctx, []store.PageVectors{v})
	})
	r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "resting at night", Mode: api.ModeVector}))(t)
	if r.Total != 4 || r.Items[0].Path != "sleep.md" {
		t.Errorf("%d pages, first %+v", r.Total, r.Items[:1])
	}
}
