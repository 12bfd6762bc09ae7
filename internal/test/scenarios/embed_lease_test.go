package scenarios_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// On a machine so slow that no portion is done within a turn, progress is told
// all the same.
func TestProgressOfSlowTurns(t *testing.T) {
	t.Parallel()
	b, a, _ := serverBed(t)
	for i := range 240 {
		apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: fmt.Sprint("note-", i), Text: fmt.Appendf(nil, "Note number %d.\n", i)}))(t)
	}
	b.Clock(b.Opts.Now(), time.Second)
	b.Opts.Wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	var told []int
	r := apptest.OK(embedding.Embed(t.Context(), b.Open(), embedding.Request{Progress: func(phase string, done, total int) {
		if phase != "embedding" || total != 244 {
			t.Errorf("%s %d of %d", phase, done, total)
		}
		told = append(told, done)
	}}))(t)

	if r.Pages != 244 || len(told) < 4 || !slices.IsSorted(told) || told[0] > 80 || told[len(told)-1] != 244 {
		t.Errorf("told %v of %+v", told, r)
	}
}

// Who waits long for another process that embeds is told so.
func TestWaitingForAnotherThatEmbedsIsTold(t *testing.T) {
	t.Parallel()
	b, a, _ := serverBed(t)
	path := filepath.Join(apptest.OK(space.DatabasePath(b.Opts.Place))(t)+".locks", "embed.lock")
	unlock := apptest.OK(fsys.Lock(t.Context(), path, time.Second))(t)
	var phases []string
	r := apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{Progress: func(phase string, _, _ int) {
		if phases = append(phases, phase); len(phases) == 1 {
			if err := unlock(); err != nil {
				t.Error(err)
			}
		}
	}}))(t)

	if r.Pages != 4 || phases[0] != "waiting for another cairn that embeds" || phases[len(phases)-1] != "embedding" {
		t.Errorf("told %q of %+v", phases, r)
	}
	// Where there is no time to wait, there is nothing to tell.
	unlock = apptest.OK(fsys.Lock(t.Context(), path, time.Second))(t)
	apptest.OK(change.Put(t.Context(), a, change.PutRequest{Ref: "new", Text: []byte("New.\n")}))(t)
	r = apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{Budget: time.Millisecond, Progress: func(phase string, _, _ int) { t.Error(phase) }}))(t)
	if err := unlock(); !r.Busy || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
}
