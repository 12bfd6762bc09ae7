package scenarios_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
)

// A server may be far away: the time of a call is that of its round trips.
func TestRoundTripsOfPostgreSQL(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.Shared(t))
	// To prepare a statement is a round trip more on the connection that a call happens to get.
	where := proxy.URL(pgtest.URL(t)) + "&default_query_exec_mode=cache_describe"
	b := apptest.New(t)
	b.Opts.Place.DB = where
	ctx := context.Background()
	a := b.Open()
	apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
	put := func(i int, text string) {
		t.Helper()
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: fmt.Sprintf("notes:page-%d", i), Overwrite: true, Text: []byte(fmt.Sprintf("# Page %d\n\n%s see [[page-%d]].\n", i, text, i-1))}))(t)
	}
	for i := range 20 {
		put(i, "The keeper of the lighthouse counts ships.")
	}
	count := func(what string, most int64, f func()) {
		t.Helper()
		proxy.Reset()
		f()
		trips, dialled := proxy.Trips()
		if trips > most {
			t.Errorf("%s: %d round trips, %d connections made:\n%s", what, trips, dialled, strings.Join(proxy.Statements(), "\n"))
		}
	}
	reader := a.For(memory.Caller{Suggests: true}) // that a page was used is noted later, and nobody waits for it
	get := func(i int) { apptest.OK(read.Get(ctx, reader, read.GetRequest{Ref: fmt.Sprintf("page-%d", i)}))(t) }
	search := func(words string) {
		t.Helper()
		if found := apptest.OK(read.Search(ctx, reader, retrieve.SearchRequest{Query: words}))(t); found.Total == 0 {
			t.Errorf("nothing found for %s", words)
		}
	}
	for i := range 6 {
		get(i)
		search(fmt.Sprintf("keeper %d", i))
		put(i, "A storm came.")
	}
	count("new page", 6, func() { put(100, "A storm came.") })
	count("replace", 6, func() { put(7, "The storm is gone.") })
	count("replace again", 6, func() { put(7, "The storm is back.") })
	other := b.Open()
	apptest.OK(change.Put(ctx, other, change.PutRequest{Ref: "notes:page-200", Text: []byte("# Page 200\n")}))(t)
	put(100, "The storm is far.") // reads the full text that the other one wrote
	get(200)
	count("replace a page of another process", 6, func() { put(200, "Ships wait.") })
	count("first search after a write", 6, func() { search("lighthouse storm") })
	count("search", 4, func() { search("ships") })
	count("the same search", 2, func() { search("ships") })
	get(7)
	count("get", 2, func() { get(9) })
	count("the same page", 1, func() { get(9) })
}

// A new process searches a memory with several large segments of the full text in few round trips.
func TestRoundTripsOfAFirstSearch(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.Shared(t))
	b := apptest.New(t)
	b.Opts.Place.DB = proxy.URL(pgtest.URL(t))
	ctx := context.Background()
	a := b.Open()
	apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
	pages := apptest.OK(a.Spaces.OpenNamed(ctx, "notes"))(t)
	random := rand.New(rand.NewPCG(3, 3))
	for i := range 4 {
		var all []write.Change
		for j := range 60 {
			text := fmt.Sprintf("# Page %d of %d\n\nThe keepers light lamps when %x comes to the pier.\n", j, i, random.Uint64())
			for range 150 {
				text += fmt.Sprintf(" %x", random.Uint64())
			}
			all = append(all, write.Change{Space: pages, Path: fmt.Sprintf("%d/%d.md", i, j), Action: write.Put{Bytes: []byte(text)}})
		}
		apptest.OK(change.Apply(ctx, a, "put", api.WriteOptions{}, all))(t)
	}
	reader := b.Open().For(memory.Caller{Suggests: true})
	proxy.Reset()
	if found := apptest.OK(read.Search(ctx, reader, retrieve.SearchRequest{Query: "keeper lamp"}))(t); found.Total < 240 {
		t.Errorf("found %d pages", found.Total)
	}
	if trips, _ := proxy.Trips(); trips > 10 {
		t.Errorf("%d round trips:\n%s", trips, strings.Join(proxy.Statements(), "\n"))
	}
}

// The pages whose links keep their target when another page gets its title are not known yet
// while the write is foreseen.
func TestKeptTargetsOfPostgreSQL(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	b.Opts.Place.DB = pgtest.URL(t)
	ctx := context.Background()
	a := b.Open()
	apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
	put := func(ref, text string) {
		t.Helper()
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "notes:" + ref, Overwrite: true, Text: []byte(text)}))(t)
	}
	put("red", "# Lamp\n")
	put("green", "# Buoy\n")
	for i := range 3 {
		put(fmt.Sprintf("ship-%d", i), "Saw [[Lamp]].\n")
	}
	a = b.Open() // it remembers nothing
	put("green", "# Lamp\n")
	for i := range 3 {
		page := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: fmt.Sprintf("ship-%d", i)}))(t)
		if want := "Saw [[red]].\n"; page.Text != want {
			t.Errorf("ship %d is %q, want %q", i, page.Text, want)
		}
	}
}

// A write that loses its connections at any of its round trips exists or not, as its answer says.
func TestCutWritesOfPostgreSQL(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.Shared(t))
	where := pgtest.URL(t)
	b := apptest.New(t)
	b.Opts.Place.DB = where
	ctx := context.Background()
	direct := b.Open()
	apptest.OK(direct.Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
	b.Opts.Place.DB = proxy.URL(where)
	a := b.Open()
	for trip := range int64(9) {
		for _, early := range []bool{true, false} {
			ref := fmt.Sprintf("page-%d-%v", trip, early)
			proxy.CutAt(trip+1, early)
			_, err := change.Put(ctx, a, change.PutRequest{Ref: "notes:" + ref, Text: []byte("# Page\n\nSee [[page]].\n")})
			proxy.CutAt(0, false)
			_, missing := read.Get(ctx, direct, read.GetRequest{Ref: ref})
			written := err == nil || kb.AsError(err).Reason == kb.WrittenUnread || kb.AsError(err).Reason == kb.DatabaseUnsure
			if written != (missing == nil) && kb.AsError(err).Reason != kb.DatabaseUnsure {
				t.Errorf("trip %d, early %v: the answer is %v, the page is there: %v", trip+1, early, err, missing == nil)
			}
		}
	}
}

// A text too large to be kept for the next question is fetched once by each call that needs it.
func TestLargeTextsOfPostgreSQL(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.Shared(t))
	b := apptest.New(t)
	b.Opts.Place.DB = proxy.URL(pgtest.URL(t)) + "&default_query_exec_mode=cache_describe"
	ctx := context.Background()
	a := b.Open()
	apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
	random := rand.New(rand.NewPCG(1, 2))
	const pages, words = 4, 480000
	for i := range pages {
		text := fmt.Appendf(nil, "# Page %d\n\nThe keeper counts ships.\n\n```\n", i)
		for n := range words { // no compression gets these below the bound
			end := byte(' ')
			if n%16 == 15 {
				end = '\n'
			}
			text = append(fmt.Appendf(text, "%06x", random.IntN(1<<24)), end)
		}
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: fmt.Sprintf("notes:page-%d", i), Text: append(text, "```\n"...)}))(t)
	}
	fetched := func(what string, want int, f func()) {
		t.Helper()
		proxy.Reset()
		f()
		got := strings.Count(strings.Join(proxy.Statements(), "\n"), "FROM blobs WHERE hash")
		if got != want {
			t.Errorf("%s: %d texts were fetched, want %d", what, got, want)
		}
	}
	fetched("get", 1, func() { apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "page-1"}))(t) })
	for range 2 {
		fetched("search", pages, func() {
			if found := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "keeper"}))(t); found.Total != pages {
				t.Errorf("%d pages were found", found.Total)
			}
		})
	}
}

// The plans of a memory that grows fast are those of its size.
func TestTablesOfPostgreSQLAreCounted(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	b.Opts.Place.DB = pgtest.URL(t)
	ctx := context.Background()
	a := b.Open()
	apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
	notes := apptest.OK(a.Spaces.OpenNamed(ctx, "notes"))(t)
	put := func(n int) {
		t.Helper()
		var pages []write.Change
		for i := range n {
			pages = append(pages, write.Change{Space: notes, Path: fmt.Sprintf("%d/page-%d.md", n, i), Action: write.Put{Bytes: []byte("text\n")}})
		}
		apptest.OK(change.Apply(ctx, a, "put", api.WriteOptions{}, pages))(t)
	}
	counted := func() string { return pgtest.Shared(t).Counted(t, b.Opts.Place.DB, "pages") }
	put(200)
	if n := counted(); n != "-1" && n != "0" { // as it is before version 14
		t.Errorf("%s pages counted of few", n)
	}
	put(100)
	if n := counted(); n != "300" {
		t.Errorf("%s pages counted", n)
	}
	put(150) // 512 are not reached
	if n := counted(); n != "300" {
		t.Errorf("%s pages counted again", n)
	}
}

// A transaction that makes many pages has them counted while it makes them, and so has a copy.
func TestRowsOfALongTransactionAreCounted(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.Shared(t))
	b := apptest.New(t)
	b.Opts.Place.DB = proxy.URL(pgtest.URL(t))
	ctx := context.Background()
	a := b.Open()
	apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
	notes := apptest.OK(a.Spaces.OpenNamed(ctx, "notes"))(t)
	var pages []write.Change
	for i := range 600 {
		pages = append(pages, write.Change{Space: notes, Path: fmt.Sprintf("page-%d.md", i), Action: write.Put{Bytes: []byte("text\n")}})
	}
	counted := func(what string, most int, f func()) {
		t.Helper()
		proxy.Reset()
		f()
		n, done := 0, false
		for _, text := range proxy.Statements() {
			done = done || strings.HasSuffix(text, ": COMMIT")
			if strings.Contains(text, ": ANALYZE") && !done {
				n++
			}
		}
		if n != most {
			t.Errorf("%s: rows were counted %d times, want %d", what, n, most)
		}
	}
	counted("600 pages", 2, func() { apptest.OK(change.Apply(ctx, a, "put", api.WriteOptions{}, pages))(t) })
	counted("a page", 0, func() {
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "notes:another", Text: []byte("# Another\n")}))(t)
	})
	to := pgtest.URL(t)
	apptest.OK(backup.Copy(ctx, b.Opts, b.Opts.Place.DB, to))(t)
	if n := pgtest.Shared(t).Counted(t, to, "pages"); n != "601" {
		t.Errorf("%s pages of the copy were counted", n)
	}
}
