package scenarios_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
)

// A copy that was cut off leaves no memory, and the next one goes on, whatever became of the
// source since.
func TestCopyThatWasCutOff(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]func(*testing.T) string{
		"file":       func(t *testing.T) string { return filepath.Join(t.TempDir(), "copy.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.URL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			b := apptest.New(t)
			a := b.Open()
			apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
			put := func(ref, text string) {
				t.Helper()
				apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: ref, Overwrite: true, Text: []byte(text)}))(t)
			}
			looked := func(tx store.Tx) error {
				return errors.Join(tx.Models().Put(ctx, store.Model{Name: "small", Source: "built-in", Dims: 4}), tx.Settings().Set(ctx, "seen", "1"))
			}
			if err := a.DB.Update(ctx, looked); err != nil {
				t.Fatal(err)
			}
			const pages = 30
			for i := range pages {
				put(fmt.Sprintf("notes:page-%d", i), fmt.Sprintf("# Page %d\n\nThe keeper counts ships.\n", i))
			}
			target := to(t)
			cut := errors.New("cut off")
			partly := func(copy func(store.Tx, store.Engine) error) {
				t.Helper()
				other, err := open.Memory(ctx, target, store.Options{Clock: time.Now})
				if err != nil {
					t.Fatal(err)
				}
				err = a.DB.View(ctx, func(tx store.Tx) error { return copy(tx, other) })
				if err := errors.Join(err, other.Close()); !errors.Is(err, cut) {
					t.Fatal(err)
				}
			}
			partly(func(tx store.Tx, other store.Engine) error {
				_, err := tx.(store.Copier).CopyBytes(ctx, other)
				return errors.Join(err, cut)
			})
			partly(func(tx store.Tx, other store.Engine) error { // in the transaction with all else
				return other.Update(ctx, func(to store.Tx) error {
					_, err := tx.(store.Copier).CopyTo(ctx, to)
					return errors.Join(err, cut)
				})
			})
			partly(func(_ store.Tx, other store.Engine) error { // which somebody looks at meanwhile
				return errors.Join(other.Update(ctx, looked), cut)
			})
			put("notes:page-1", "# Page 1\n\nA storm came.\n")
			put("notes:another", "# Another\n")
			pruned := false // the first text of the page goes, though it was copied
			if err := a.DB.Update(ctx, func(tx store.Tx) error {
				all, _, err := tx.History().Versions(ctx, store.VersionFilter{}, 1000, 0)
				for _, v := range all {
					if v.Path == "page-1.md" && v.Version == 1 && err == nil {
						pruned = true
						_, err = tx.History().Prune(ctx, []int64{v.Seq})
					}
				}
				return err
			}); err != nil || !pruned {
				t.Fatal(pruned, err)
			}
			receipt := apptest.OK(backup.Copy(ctx, b.Opts, b.Opts.Place.DB, target))(t)
			if receipt.Resumed != pages-1 || receipt.Pages != pages+1 || receipt.Spaces != 1 {
				t.Errorf("%+v", receipt)
			}
		})
	}
}

// A server ends the transaction of a writer that has nothing to do for long, such as while the
// copier reads all of a large source.
func TestCopyReadsTheSourceFirst(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t, pgtest.Shared(t))
	b := apptest.New(t)
	b.Opts.Place.DB = proxy.URL(pgtest.URL(t))
	ctx := context.Background()
	a := b.Open()
	apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "notes:ship", Text: []byte("# Ship\n")}))(t)
	proxy.Reset()
	apptest.OK(backup.Copy(ctx, b.Opts, b.Opts.Place.DB, proxy.URL(pgtest.URL(t))))(t)
	// The history is read for the checksum only: of the source before rows of the target are
	// written, then of the target.
	var seen []string
	for _, text := range proxy.Statements() {
		switch {
		case strings.Contains(text, ": DELETE "):
			seen = append(seen, "write")
		case strings.HasSuffix(text, " ORDER BY v.seq DESC"):
			seen = append(seen, "checksum")
		}
	}
	if want := []string{"checksum", "write", "checksum"}; !slices.Equal(slices.Compact(seen), want) {
		t.Errorf("%v, want %v in\n%s", seen, want, strings.Join(proxy.Statements(), "\n"))
	}
}

// A copy is compared before it is there: one that is stopped at any moment leaves no spaces,
// and the same command makes it.
func TestCopyStoppedAtAnyMoment(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	apptest.OK(a.Spaces.Add(t.Context(), space.AddRequest{Name: "notes", Database: true}))(t)
	for i := range 10 {
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: fmt.Sprintf("notes:page-%d", i), Text: fmt.Appendf(nil, "# Page %d\n", i)}))(t)
	}
	copyTo := func(target string, stopAt int64) (calls int64, err error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		counted := &counting{Context: ctx, at: stopAt, stop: cancel}
		_, err = backup.Copy(counted, b.Opts, b.Opts.Place.DB, target)
		return counted.calls.Load(), err
	}
	all, err := copyTo(filepath.Join(t.TempDir(), "whole.db"), 0)
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "copy.db")
	const stops = 40
	for i := int64(1); i < stops; i++ {
		if _, err := copyTo(target, all*i/stops); err == nil { // nothing was left to be stopped
			if i < stops/2 {
				t.Errorf("a copy that was stopped at %d of %d calls was made", all*i/stops, all)
			}
			return
		}
		db, err := open.Memory(t.Context(), target, store.Options{Clock: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		err = db.View(t.Context(), func(tx store.Tx) error {
			if spaces := apptest.OK(tx.Spaces().All(t.Context()))(t); len(spaces) > 0 {
				t.Errorf("stopped at %d of %d calls, the copy is there", all*i/stops, all)
			}
			return nil
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := copyTo(target, 0); err != nil {
		t.Error(err)
	}
}

// counting is a context that is cancelled when it is asked for the nth time.
type counting struct {
	context.Context
	calls atomic.Int64
	at    int64
	stop  func()
}

func (c *counting) Err() error {
	c.count()
	return c.Context.Err()
}

func (c *counting) Done() <-chan struct{} {
	c.count()
	return c.Context.Done()
}

func (c *counting) count() {
	if c.calls.Add(1) == c.at {
		c.stop()
	}
}
