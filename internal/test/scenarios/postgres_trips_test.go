package scenarios_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
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
	get := func(i int) { apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: fmt.Sprintf("page-%d", i)}))(t) }
	search := func(words string) {
		t.Helper()
		if found := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: words}))(t); found.Total == 0 {
			t.Errorf("nothing found for %s", words)
		}
	}
	for i := range 6 {
		get(i)
		search(fmt.Sprintf("keeper %d", i))
		put(i, "A storm came.")
	}
	count("new page", 36, func() { put(100, "A storm came.") })
	count("replace", 28, func() { put(7, "The storm is gone.") })
	count("first search after a write", 10, func() { search("lighthouse storm") })
	count("search", 7, func() { search("ships") })
	count("the same search", 3, func() { search("ships") })
	get(7)
	count("get", 4, func() { get(9) })
	count("the same page", 3, func() { get(9) })
}
