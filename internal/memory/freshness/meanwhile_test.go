package freshness_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// between is a memory in which something happens after a number of looks at it.
type between struct {
	store.Engine
	left int
	do   func()
}

func (d *between) View(ctx context.Context, work func(store.Tx) error) error {
	err := d.Engine.View(ctx, work)
	if d.left--; d.left == 0 {
		d.do()
	}
	return err
}

// A file that another program just saved may be indexed by another process while
// this one looks for it: whenever that happens, its page is found, and its name
// means it.
func TestFoundByAnotherProcessMeanwhile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, c := range []struct {
		what string
		do   func(a *memory.Session) error
		want kb.Code
	}{
		{"get", func(a *memory.Session) error { _, err := read.Get(ctx, a, read.GetRequest{Ref: "c"}); return err }, ""},
		{"edit", func(a *memory.Session) error {
			_, err := change.EditPage(ctx, a, change.EditRequest{Ref: "c", Edits: []doc.Edit{doc.Append{Text: "More."}}})
			return err
		}, ""},
		{"put", func(a *memory.Session) error {
			_, err := change.Put(ctx, a, change.PutRequest{Ref: "c", Text: []byte("x\n")})
			return err
		}, kb.Conflict},
	} {
		for after := 1; after <= 8; after++ {
			t.Run(fmt.Sprint(c.what, after), func(t *testing.T) {
				b := apptest.New(t)
				root := b.Dir("notes", map[string]string{"a.md": "# A\n"})
				other := b.Open()
				apptest.OK(gitsync.AddSpace(ctx, other, space.AddRequest{Root: root}))(t)
				apptest.OK(gitsync.Sync(ctx, other, gitsync.SyncRequest{}))(t)
				var db *between
				b.Opts.WrapFiles, b.Opts.WrapDatabase = nil, func(inner store.Engine) store.Engine { db = &between{Engine: inner}; return db }
				a := b.Open()
				if err := os.MkdirAll(filepath.Join(root, "deep"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, "deep", "c.md"), []byte("# C\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				db.left, db.do = after, func() { apptest.OK(gitsync.Sync(ctx, other, gitsync.SyncRequest{}))(t) }
				if err := c.do(a); kb.CodeOf(err) != c.want {
					t.Errorf("%v", err)
				}
			})
		}
	}
}
