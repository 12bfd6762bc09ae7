package app_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/kb"
)

func TestBackupAndCompactKeepEverything(t *testing.T) {
	b := newBed(t)
	root := b.dir("garden", garden())
	a := b.open()
	ctx := context.Background()
	ok[app.Space](t)(a.Attach(ctx, root))
	ok[[]app.SyncReport](t)(a.Sync(ctx, app.SyncRequest{}))
	edits(t, a)
	before := dump(t, a)
	r := ok[app.BackupResult](t)(a.Backup(ctx, "copy.db"))
	if _, err := a.Backup(ctx, "copy.db"); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("a backup replaced a file: %v", err)
	}
	ok[app.CompactResult](t)(a.Compact(ctx))
	if diff := cmp.Diff(before, dump(t, a)); diff != "" {
		t.Error(diff)
	}
	b.opts.DB = r.To
	if diff := cmp.Diff(before, dump(t, b.open())); diff != "" {
		t.Error(diff)
	}
	for _, c := range ok[[]app.Check](t)(a.Validate(ctx, true)) {
		if c.State != "ok" {
			t.Errorf("%+v", c)
		}
	}
}

func TestBackupLeavesAnExistingFile(t *testing.T) {
	b := newBed(t)
	a := b.open()
	file := filepath.Join(b.home, "mine.txt")
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Backup(context.Background(), file); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("%q %v", text, err)
	}
}
