package torture

import (
	"context"
	"fmt"
	"github.com/cairn-kb/cairn/internal/memory"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Of 64 writers that all saw the same version one wins each round; the others
// are told which version there is now.
func TestStaleVersions(t *testing.T) {
	t.Parallel()
	staleVersions(t, "")
}

// TestStaleVersionsOverPostgreSQL is TestStaleVersions with the memory in PostgreSQL.
func TestStaleVersionsOverPostgreSQL(t *testing.T) {
	slowtest.Skip(t, "asks a server for each of many writers")
	t.Parallel()
	staleVersions(t, pgtest.URL(t))
}

func staleVersions(t *testing.T, where string) {
	t.Helper()
	const writers, rounds = 64, 3
	a := open(t, newHomeAt(t, where, nil))
	for _, space := range []string{"notes", "mem"} {
		t.Run(space, func(t *testing.T) {
			ref := space + ":page.md"
			apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: ref, Text: []byte(generation("start"))}))(t)
			for version := 1; version <= rounds; version++ {
				var (
					wg      sync.WaitGroup
					start   = make(chan struct{})
					answers [writers]api.Written
					errs    [writers]error
				)
				for i := range writers {
					wg.Go(func() {
						<-start
						answers[i], errs[i] = change.Put(t.Context(), a, change.PutRequest{
							WriteOptions: api.WriteOptions{Expected: &version}, Ref: ref, Text: []byte(generation(fmt.Sprint(version, ".", i))),
						})
					})
				}
				close(start)
				wg.Wait()
				winner := -1
				for i, err := range errs {
					switch {
					case err == nil && winner >= 0:
						t.Errorf("both %d and %d won version %d", winner, i, version)
					case err == nil:
						winner = i
					case kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Details["current_version"] != version+1:
						t.Errorf("writer %d was told %v with %v", i, err, kb.AsError(err).Details)
					}
				}
				if winner < 0 {
					t.Fatalf("nobody won version %d", version)
				}
				now := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: ref}))(t)
				if answers[winner].Pages[0].Version != version+1 || now.Version != version+1 || now.Text != generation(fmt.Sprint(version, ".", winner)) {
					t.Errorf("version %d is not what its writer was told", version+1)
				}
			}
		})
	}
}

// Two processes write, one syncs, an editor replaces files, and readers read,
// all on the same spaces: no update is lost or doubled, what was answered is
// what is there, and nobody is locked out.
func TestProcessesOnOneSpace(t *testing.T) {
	t.Parallel()
	onOneSpace(t, "")
}

// TestProcessesOnOneSpaceOverPostgreSQL is TestProcessesOnOneSpace with the memory in
// PostgreSQL.
func TestProcessesOnOneSpaceOverPostgreSQL(t *testing.T) {
	slowtest.Skip(t, "has several processes write through a server")
	t.Parallel()
	onOneSpace(t, pgtest.URL(t))
}

func onOneSpace(t *testing.T, where string) {
	t.Helper()
	const limit = 15
	rng := rand.New(rand.NewPCG(*seed, 1))
	l := newLedger(t, where)
	writers := []*child{
		start(t, l.home, "one", rng.Uint64(), limit, "own1,shared,edited,group"),
		start(t, l.home, "two", rng.Uint64(), limit, "own1,shared,edited,hub"),
		start(t, l.home, "editor", rng.Uint64(), limit, "editor"),
	}
	syncing := start(t, l.home, "sync", rng.Uint64(), limit, "sync")
	ctx, stop := context.WithCancel(t.Context())
	read := readers(t, ctx, l.home)
	for _, c := range writers {
		l.add(c.finish())
	}
	l.add(syncing.finish())
	stop()
	if n := read(); n == 0 {
		t.Error("no reader read anything")
	}
	l.check(t, "after the race")
	if l.acked == 0 {
		t.Error("nothing was acknowledged: the test shows nothing")
	}
}

// readers read until ctx ends. Every answer is a text that somebody wrote,
// with the version that has it. The function returned awaits them and says how
// often they read.
func readers(t *testing.T, ctx context.Context, home string) func() int {
	a := open(t, home)
	var (
		wg sync.WaitGroup
		n  int
	)
	wg.Go(func() {
		for ; ctx.Err() == nil; n++ {
			for _, ref := range []string{"notes:shared/log.md", "mem:shared/log.md", "notes:ed/0.md"} {
				page, err := read.Get(t.Context(), a, read.GetRequest{Ref: ref})
				if kb.CodeOf(err) == kb.NotFound && ref == "notes:ed/0.md" {
					continue // deleted for the moment
				}
				if err != nil {
					t.Errorf("a reader of %s was told %v", ref, err)
					return
				}
				if _, _, err := readGeneration(page.Text); err != nil {
					t.Errorf("a reader of %s was given what nobody wrote: %v", ref, err)
				}
				again, err := read.Get(t.Context(), a, read.GetRequest{Ref: ref, Version: page.Version})
				if err == nil && again.ID == page.ID && again.Text != page.Text {
					t.Errorf("version %d of %s has two texts", page.Version, ref)
				}
			}
		}
	})
	return func() int { wg.Wait(); return n }
}

// holder is a process that holds the lock of the space "notes" and the write
// transaction of the memory until its standard input ends.
func holder(home string) (err error) {
	ctx := context.Background()
	db, err := database(ctx, home)
	if err != nil {
		return err
	}
	_, spaces, err := newWriter(ctx, home, db)
	if err != nil {
		return err
	}
	unlock, err := db.Lock(ctx, string(spaces["notes"].ID), store.Exclusive, 0)
	if err != nil {
		return err
	}
	return db.Update(ctx, func(store.Tx) error {
		if _, err := os.Stdout.WriteString("held\n"); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, os.Stdin)
		if err == nil {
			err = unlock()
		}
		return err
	})
}

// hold starts a holder and returns when it holds.
func hold(t *testing.T, home string) (cmd *exec.Cmd, release func()) {
	t.Helper()
	cmd, complaints := process(t, "holder", home)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("held\n"))); err != nil {
		_ = cmd.Wait() // for what it complained of
		t.Fatalf("%v: %s", err, complaints)
	}
	return cmd, func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the holder had not held to the end: %v: %s", err, complaints)
		}
	}
}

// While another process holds every lock there is, all that reads works, also
// on a file that an editor has changed.
func TestReadersWaitForNoWriter(t *testing.T) {
	t.Parallel()
	home := newHome(t, map[string]string{"a.md": "# A\n\ncairn of stones [b](b.md)\n", "b.md": "# B\n"})
	a := open(t, home)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
	_, release := hold(t, home)
	writeFile(t, filepath.Join(root(home), "b.md"), "# B, edited\n")
	for range 3 {
		if got := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "a"}))(t); got.Version != 1 {
			t.Errorf("version %d", got.Version)
		}
		if got := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "b"}))(t); got.Version != 1 || got.Text != "# B\n" {
			t.Errorf("version %d with %q: the version is not the one of the text", got.Version, got.Text)
		}
		if got := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "stones"}))(t); got.Total != 1 {
			t.Errorf("%d hits", got.Total)
		}
		if got := apptest.OK(retrieve.Pages(t.Context(), a, retrieve.ListRequest{}))(t); got.Total != 2 {
			t.Errorf("%d pages", got.Total)
		}
		apptest.OK(links.List(t.Context(), a, api.LinksRequest{Way: api.In, Ref: "b"}))(t)
		apptest.OK(history.List(t.Context(), a, history.ListRequest{Ref: "a"}))(t)
		// The next command opens the memory, too.
		b := apptest.OK(memory.Open(t.Context(), options(home, "reader"), false))(t)
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	release()
	if got := apptest.OK(read.Get(t.Context(), a, read.GetRequest{Ref: "b"}))(t); got.Version != 2 || got.Text != "# B, edited\n" {
		t.Errorf("version %d with %q", got.Version, got.Text)
	}
}
