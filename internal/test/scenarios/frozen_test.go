package scenarios_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// frozen is a memory that another process holds in one way, and in which it is
// stopped. It counts what callers are ready to wait.
type frozen struct {
	store.Engine
	mu            sync.Mutex
	locks, writes bool // what is held
	waits         []time.Duration
}

func (f *frozen) hold(locks, writes bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.locks, f.writes, f.waits = locks, writes, nil
}

func (f *frozen) waited() (all time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.waits {
		all += w
	}
	return all
}

// busy reports whether what is asked for is held, and notes the wait for it.
func (f *frozen) busy(held *bool, wait time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !*held {
		return nil
	}
	f.waits = append(f.waits, wait)
	return kb.Errorf(kb.Conflict, "held").With("busy", true).Because(store.ErrBusy)
}

func (f *frozen) Lock(ctx context.Context, name string, mode store.LockMode, wait time.Duration) (func() error, error) {
	if err := f.busy(&f.locks, store.Patience(ctx, wait)); err != nil {
		return nil, err
	}
	return f.Engine.Lock(ctx, name, mode, wait)
}

func (f *frozen) Update(ctx context.Context, work func(store.Tx) error) error {
	if err := f.busy(&f.writes, store.Patience(ctx, store.BusyTime)); err != nil {
		return err
	}
	return f.Engine.Update(ctx, work)
}

// Who reads waits a moment for a writer that is stopped, and answers from what is
// indexed, with a note.
func TestReadersWaitForNoStoppedWriter(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, held := range map[string][2]bool{"a lock": {true, false}, "a transaction": {false, true}, "both": {true, true}} {
		b := apptest.New(t)
		var db *frozen
		b.Opts.WrapFiles, b.Opts.WrapDatabase = nil, func(inner store.Engine) store.Engine { db = &frozen{Engine: inner}; return db }
		a := b.Open()
		roots := []string{b.Dir("notes", map[string]string{"a.md": "Alpha.\n", "b.md": "See [[a]].\n"}), b.Dir("more", map[string]string{"m.md": "Alpha, too.\n"})}
		for _, root := range roots {
			apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
		}
		apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
		a = a.In("notes")
		for _, root := range roots {
			if err := os.WriteFile(filepath.Join(root, "new.md"), []byte("Alpha again.\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(roots[0], "a.md"), []byte("Alpha and more.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for what, read := range map[string]func() (notes []string, err error){
			"search": func() ([]string, error) {
				r, err := read.Search(ctx, a, retrieve.SearchRequest{Query: "alpha", Sync: true})
				if err == nil && r.Total != 1 {
					t.Errorf("%s: %d hits", name, r.Total)
				}
				return r.Notes, err
			},
			"search everywhere": func() ([]string, error) {
				r, err := read.Search(ctx, a, retrieve.SearchRequest{Query: "alpha", Sync: true, All: true})
				return r.Notes, err
			},
			"get": func() ([]string, error) {
				r, err := read.Get(ctx, a, read.GetRequest{Ref: "a"})
				var notes []string
				for _, w := range r.Warnings {
					notes = append(notes, w.Text)
				}
				if err == nil && r.Text != "Alpha.\n" {
					t.Errorf("%s: got %q", name, r.Text)
				}
				return notes, err
			},
			"freshen": func() ([]string, error) { return read.Freshen(ctx, a, read.FreshenRequest{All: true}) },
			"history": func() ([]string, error) {
				_, err := history.List(ctx, a, history.ListRequest{Ref: "a"})
				return a.Notes(), err
			},
			"diff": func() ([]string, error) {
				_, err := history.Compare(ctx, a, history.DiffRequest{Ref: "a"})
				return a.Notes(), err
			},
			"links": func() ([]string, error) {
				_, err := links.List(ctx, a, api.LinksRequest{Ref: "a"})
				return a.Notes(), err
			},
			"tags": func() ([]string, error) {
				_, err := read.Tags(ctx, a, read.TagsRequest{Ref: "a"})
				return a.Notes(), err
			},
			"timeline": func() ([]string, error) {
				_, err := read.Timeline(ctx, a, retrieve.TimelineRequest{Ref: "a"}, "")
				return a.Notes(), err
			},
			"no page": func() ([]string, error) {
				_, err := read.Get(ctx, a, read.GetRequest{Ref: "new"})
				if kb.CodeOf(err) == kb.NotFound {
					err = nil
				}
				return a.Notes(), err
			},
			"a list, then a page": func() ([]string, error) {
				notes, err := read.Freshen(ctx, a, read.FreshenRequest{All: true})
				if err == nil {
					_, err = read.Tags(ctx, a, read.TagsRequest{Ref: "a"})
				}
				return append(notes, a.Notes()...), err
			},
		} {
			a.Notes() // what was said before is said
			db.hold(held[0], held[1])
			notes, err := read()
			waited := db.waited()
			db.hold(false, false)
			if err != nil || len(notes) == 0 || !strings.Contains(strings.Join(notes, " "), "indexed before") {
				t.Errorf("%s is held: %s answers %q, %v", name, what, notes, err)
			}
			if waited == 0 || waited > 2*store.ReadPatience {
				t.Errorf("%s is held: %s waits up to %v", name, what, waited)
			}
		}
	}
}

// Nobody who opens the memory waits for the writer of an entry in the journal.
func TestOpeningWaitsForNoStoppedWriter(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	a := b.Open()
	root := b.Dir("notes", map[string]string{"a.md": "Alpha.\n"})
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.DieAt(a, write.StepIndex, errors.New("killed"))
	if _, err := change.Put(ctx, a, change.PutRequest{Ref: "c", Text: []byte("Half.\n")}); err == nil {
		t.Fatal("the write did not stop")
	}
	var db *frozen
	b.Opts.WrapFiles, b.Opts.WrapDatabase = nil, func(inner store.Engine) store.Engine {
		db = &frozen{Engine: inner, locks: true, writes: true}
		return db
	}
	reader := b.Open()
	if waited := db.waited(); waited == 0 || waited > store.ReadPatience {
		t.Errorf("opening waits up to %v", waited)
	}
	if r := apptest.OK(read.Search(ctx, reader, retrieve.SearchRequest{Query: "alpha"}))(t); r.Total != 1 {
		t.Errorf("%d hits", r.Total)
	}
}

// A writer that reads a newer file first waits for others as long as the write itself does:
// a reader's short wait would refuse the write.
func TestWritersWaitForTheFileAsForTheWrite(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	var db *frozen
	b.Opts.WrapFiles, b.Opts.WrapDatabase = nil, func(inner store.Engine) store.Engine { db = &frozen{Engine: inner}; return db }
	a := b.Open()
	root := b.Dir("notes", map[string]string{"a.md": "Alpha.\n"})
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "notes"}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
	if err := os.WriteFile(filepath.Join(root, "a.md"), []byte("Alpha and more.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	opened := apptest.OK(a.Spaces.OpenNamed(ctx, "notes"))(t)
	db.hold(false, true)
	_, err := change.At(ctx, a, opened, "a.md")
	if kb.AsError(err).Details["busy"] != true || db.waited() != store.BusyTime {
		t.Errorf("%v, waited %v", err, db.waited())
	}
}

// Of a directory that was never synced there is nothing to answer from, so that who
// reads it waits longer for a writer.
func TestReadersWaitForTheFirstSync(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	var db *frozen
	b.Opts.WrapFiles, b.Opts.WrapDatabase = nil, func(inner store.Engine) store.Engine { db = &frozen{Engine: inner}; return db }
	a := b.Open()
	for _, name := range []string{"one", "two"} {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir(name, map[string]string{"a.md": "Alpha.\n"})}))(t)
	}
	db.hold(true, false)
	r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "alpha", Sync: true, All: true}))(t)
	if waited := db.waited(); len(r.Notes) != 3 || // the third says that no page has the word
		waited <= 10*store.ReadPatience || waited >= store.BusyTime {
		t.Errorf("%q, waited %v", r.Notes, waited)
	}
	db.hold(false, false)
	if r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "alpha", Sync: true, All: true}))(t); r.Total != 2 || len(r.Notes) != 0 {
		t.Errorf("%d hits, %q", r.Total, r.Notes)
	}
}

// Spaces in the memory that cannot be indexed anew by new rules are asked as they
// are, and say so; after the first nobody is waited for.
func TestReadersByOlderRules(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	var db *frozen
	b.Opts.WrapFiles, b.Opts.WrapDatabase = nil, func(inner store.Engine) store.Engine { db = &frozen{Engine: inner}; return db }
	a := b.Open()
	for _, name := range []string{"one", "two"} {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: name}))(t)
		apptest.OK(change.Put(ctx, a.In(name), change.PutRequest{Ref: "a", Text: []byte("Alpha.\n")}))(t)
	}
	err := db.Update(ctx, func(tx store.Tx) error {
		all, err := tx.Spaces().All(ctx)
		for _, s := range all {
			s.Derivation = 1
			err = errors.Join(err, tx.Spaces().Update(ctx, s))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db.hold(true, true)
	r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "alpha", Sync: true, All: true}))(t)
	if r.Total != 2 || len(r.Notes) != 2 || !noted(r.Notes, "one was not reindexed by this version, since others are writing in it") || db.waited() > store.ReadPatience {
		t.Errorf("%d hits, %q, waited %v", r.Total, r.Notes, db.waited())
	}
	db.hold(false, false)
	if r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "alpha", Sync: true, All: true}))(t); len(r.Notes) != 0 {
		t.Errorf("noted %q", r.Notes)
	}
}
