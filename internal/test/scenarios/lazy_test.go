package scenarios_test

import (
	"context"
	"github.com/cairn-kb/cairn/internal/memory"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A memory that could not be opened once can be opened when what was wrong is
// mended: the process of an agent's session lasts longer.
func TestLazyOpensAgain(t *testing.T) {
	t.Parallel()
	b, ctx := apptest.New(t), context.Background()
	root := b.Dir("notes", map[string]string{"b.md": "A stone.\n"})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	plantRecord(t, apptest.OK(space.DatabasePath(b.Opts.Place))(t), `{"version":1,"operation":"put","ops":[{"space":1,"path":"a.md","old":null,"new":"QQ=="}]}`)
	inTheWay := filepath.Join(root, "a.md")
	if err := os.Mkdir(inTheWay, 0o755); err != nil {
		t.Fatal(err)
	}
	lazy := memory.NewLazy(b.Opts)
	if got, err := lazy.Session(ctx, false); err == nil || got != nil {
		t.Fatalf("got %v and %v, and wanted an error alone", got, err)
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	again := apptest.OK(lazy.Session(ctx, false))(t)
	if spaces := apptest.OK(again.Spaces.List(ctx))(t); len(spaces) != 1 {
		t.Errorf("spaces: %+v", spaces)
	}
	if err := lazy.Close(); err != nil {
		t.Error(err)
	}
}
