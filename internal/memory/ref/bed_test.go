package ref_test

import (
	"context"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// bed is a database space m.
type bed struct {
	t   *testing.T
	me  *memory.Session
	ctx context.Context
}

func newBed(t *testing.T) *bed {
	t.Helper()
	b := apptest.New(t)
	b.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Second)
	s := &bed{t, b.Open(), context.Background()}
	apptest.OK(gitsync.AddSpace(s.ctx, s.me, space.AddRequest{Database: true, Name: "m"}))(t)
	return s
}

func (s *bed) put(ref, text string) {
	s.t.Helper()
	apptest.OK(change.Put(s.ctx, s.me, change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: true, New: true}))(s.t)
}
