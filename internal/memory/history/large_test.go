package history_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// Versions of a large document are compared in turn, as such documents are read and written.
func TestLargeDiffsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, with large texts")
	s := newShared(t)
	text := strings.Repeat("a line of text\n", 17<<20/15)
	s.put(s.me, "a", text)
	s.put(s.me, "a", text+"one more\n")
	_, over, err := turn.Alone(t.Context(), s.me.DB, 17<<20)
	if err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := history.Compare(soon, s.me, history.DiffRequest{Ref: "a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("compared while another document is worked on: %v", err)
	}
	if _, err := history.Blame(soon, s.me, history.BlameRequest{Ref: "a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("blamed while another document is worked on: %v", err)
	}
	over()
	apptest.OK(history.Compare(t.Context(), s.me, history.DiffRequest{Ref: "a"}))(t)
}

// views counts the Views that are at work.
type views struct {
	store.Engine
	open atomic.Int32
}

func (v *views) View(ctx context.Context, f func(store.Tx) error) error {
	v.open.Add(1)
	defer v.open.Add(-1)
	return v.Engine.View(ctx, f)
}

// Those who wait for the turn of a large document take no connection from the one who has it.
func TestWaitsAreOutsideOfViews(t *testing.T) {
	t.Parallel()
	s := newShared(t)
	s.put(s.me, "a", strings.Repeat("a line of text\n", 17<<20/15))
	db := &views{Engine: s.me.DB}
	s.me.DB = db
	_, over, err := turn.Alone(t.Context(), db, 17<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer over()
	for name, wait := range map[string]func(context.Context) error{
		"diff": func(ctx context.Context) error {
			_, err := history.Compare(ctx, s.me, history.DiffRequest{Ref: "a"})
			return err
		},
		"blame": func(ctx context.Context) error {
			_, err := history.Blame(ctx, s.me, history.BlameRequest{Ref: "a"})
			return err
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			end := make(chan error)
			go func() { end <- wait(ctx) }()
			synctest.Wait()
			if n := db.open.Load(); n != 0 {
				t.Errorf("%s waits within %d Views", name, n)
			}
			stop()
			if err := <-end; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// The authors of the lines of a large page take the memory of its texts, not more for each line.
func TestBlameOfManyLines(t *testing.T) {
	// Serial: it counts allocations.
	slowtest.NoRace(t, "one thing after the other, with large texts")
	s := newShared(t)
	text := strings.Repeat("l\n", 2<<20)
	s.put(s.me, "a", text)
	s.put(s.me, "a", text+"last\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b := apptest.OK(history.Blame(t.Context(), s.me, history.BlameRequest{Ref: "a"}))(t)
	runtime.ReadMemStats(&after)
	if len(b.Lines) != 2 || b.Lines[0].Version != 1 || b.Lines[0].To != 2<<20 || b.Lines[1].Version != 2 {
		t.Errorf("%+v", b.Lines)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 {
		t.Errorf("allocated %d MiB for two versions of 4 MiB", took>>20)
	}
}
