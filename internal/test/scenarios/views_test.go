package scenarios_test

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// views counts the transactions that read, and keeps who began them.
type views struct {
	store.Engine
	mu  sync.Mutex
	log []string
}

func (v *views) View(ctx context.Context, f func(store.Tx) error) error {
	pc := make([]uintptr, 8)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	var who []string
	for range 4 {
		f, more := frames.Next()
		who = append(who, f.Function[strings.LastIndexByte(f.Function, '/')+1:])
		if !more {
			break
		}
	}
	v.mu.Lock()
	v.log = append(v.log, strings.Join(who, " < "))
	v.mu.Unlock()
	return v.Engine.View(ctx, f)
}

// One use case has few views of the data: what it decides in one of them is not
// undone by what another process wrote before the next. A new page looks through
// the directory first, for one of its name, and asks again: another process may have
// indexed it meanwhile.
func TestUseCasesReadInFewTransactions(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"directory", "database"} {
		t.Run(kind, func(t *testing.T) {
			b, v := apptest.New(t), &views{}
			b.Opts.ReadOnly = true // what is noted after an answer is no part of it
			b.Opts.WrapFiles, b.Opts.WrapDatabase = func(d *fsys.Dir) fsys.FS { return d }, func(db store.Engine) store.Engine { v.Engine = db; return v }
			a, ctx := b.Open(), t.Context()
			if kind == "directory" {
				apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("garden", garden()), Name: "garden"}))(t)
				apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
			} else {
				apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "garden"}))(t)
			}
			apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "cat", Text: []byte("# Cat\n\nSleeps on the warm stone.\n")}))(t)
			apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
			for _, c := range []struct {
				name string
				most int
				do   func() error
			}{
				{"get", 3, func() error { _, err := read.Get(ctx, a, read.GetRequest{Ref: "cat"}); return err }},
				{"search", 6, func() error {
					_, err := read.Search(ctx, a, retrieve.SearchRequest{Query: "warm stone", Sync: true})
					return err
				}},
				{"query", 6, func() error {
					_, err := read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: "warm stone", Sync: true}})
					return err
				}},
				{"put", 12, func() error {
					_, err := change.Put(ctx, a, change.PutRequest{Ref: "dog", Text: []byte("# Dog\n\nBarks.\n")})
					return err
				}},
				{"state", 12, func() error { _, err := state.Describe(ctx, a); return err }}, // one of them each for who serves, repositories, and curation
			} {
				v.log = nil
				if err := c.do(); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				if n := len(v.log); n > c.most || n == 0 {
					t.Errorf("%s reads in %d transactions, more than %d:\n%s", c.name, n, c.most, strings.Join(v.log, "\n"))
				}
			}
		})
	}
}

// What the memory alone says of its state is worked out once, until somebody
// commits, be it another process.
func TestStateIsWorkedOutOnce(t *testing.T) {
	t.Parallel()
	b, v := apptest.New(t), &views{}
	b.Opts.WrapFiles, b.Opts.WrapDatabase = func(d *fsys.Dir) fsys.FS { return d }, func(db store.Engine) store.Engine { v.Engine = db; return v }
	a, ctx := b.Open(), t.Context()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("garden", garden()), Name: "garden"}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "cat", Text: []byte("# Cat\n\nSleeps on the [[nowhere]].\n")}))(t)
	state := func(worked bool) api.State {
		t.Helper()
		v.log = nil
		s := apptest.OK(state.Describe(ctx, a))(t)
		did := slices.ContainsFunc(v.log, func(who string) bool { return strings.Contains(who, "checkIndexed") })
		if did != worked {
			t.Errorf("worked out anew: %v, want %v:\n%s", did, worked, strings.Join(v.log, "\n"))
		}
		return s
	}
	first := state(true)
	tree := apptest.OK(read.Dir(ctx, a, read.DirRequest{}))(t)
	if again := state(false); !reflect.DeepEqual(first, again) {
		t.Errorf("%+v, and then %+v", first, again)
	}
	b.Opts.WrapFiles, b.Opts.WrapDatabase = func(d *fsys.Dir) fsys.FS { return d }, func(db store.Engine) store.Engine { return db }
	other := b.Open()
	apptest.OK(change.Put(ctx, other, change.PutRequest{Ref: "a new one", Text: []byte("# New\n")}))(t)
	second := state(true)
	if second.Stats.Pages != first.Stats.Pages+1 {
		t.Errorf("%d pages, and after another: %d", first.Stats.Pages, second.Stats.Pages)
	}
	state(false)
	if again := apptest.OK(read.Dir(ctx, a, read.DirRequest{}))(t); again.Total != tree.Total+1 {
		t.Errorf("%d entries, and after another page: %d", tree.Total, again.Total)
	}
}

// A memory as it was is made once for the questions about it within ten minutes,
// whatever is written later.
func TestPastIsMadeOnce(t *testing.T) {
	t.Parallel()
	b, v := apptest.New(t), &views{}
	b.Opts.WrapFiles, b.Opts.WrapDatabase = func(d *fsys.Dir) fsys.FS { return d }, func(db store.Engine) store.Engine { v.Engine = db; return v }
	clock := b.Clock(time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC), 0)
	a, ctx := b.Open(), t.Context()
	put := func(ref, text string) {
		t.Helper()
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: true}))(t)
	}
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "own"}))(t)
	put("cat", "# Cat\n\nSleeps on the warm stone.\n")
	then := clock.Last().Format(time.RFC3339)
	clock.Advance(24 * time.Hour)
	put("cat", "# Cat\n\nHunts at night.\n")
	ask := func(query string, made bool, hits int) {
		t.Helper()
		v.log = nil
		r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: query, AsOf: then}))(t)
		did := slices.ContainsFunc(v.log, func(who string) bool { return strings.Contains(who, "rebuilding).run") })
		if did != made || len(r.Items) != hits {
			t.Errorf("%s: made %v, %d hits; want %v, %d:\n%s", query, did, len(r.Items), made, hits, strings.Join(v.log, "\n"))
		}
	}
	ask("warm", true, 1)
	ask("warm", false, 1)
	ask("night", false, 0)
	put("cat", "# Cat\n\nSleeps again.\n")
	put("dog", "# Dog\n\nOn a warm stone, too.\n")
	ask("warm", false, 1)
	clock.Advance(11 * time.Minute)
	a.RestIfIdle(ctx)
	ask("warm", true, 1)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "later"}))(t)
	ask("warm", false, 1)
}
