package doctor_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// wholeLines is a writer that wants whole lines, as one that looks at runes
// before they reach a terminal does.
type wholeLines struct {
	t *testing.T
	n int
}

func (w *wholeLines) Write(text []byte) (int, error) {
	if w.n++; bytes.IndexByte(text, '\n') != len(text)-1 {
		w.t.Errorf("write %d is no line: it ends with %q", w.n, text[max(0, len(text)-20):])
	}
	return len(text), nil
}

func TestDumpWritesLines(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("ページ%02d.md", i)] = "# 日本語\n"
	}
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: b.Dir("notes", files)}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	w := &wholeLines{t: t}
	if r := apptest.OK(doctor.Dump(ctx, a, w))(t); r.Pages != 40 || w.n != 40 {
		t.Errorf("%d pages in %d writes", r.Pages, w.n)
	}
}
