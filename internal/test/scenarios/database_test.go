package scenarios_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

func TestBackupAndCompactKeepEverything(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("garden", garden())
	a := b.Open()
	ctx := context.Background()
	apptest.OK(a.Spaces.Attach(ctx, root))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	edits(t, a)
	before := dump(t, a)
	r := apptest.OK(backup.Backup(ctx, a, "copy.db"))(t)
	if _, err := backup.Backup(ctx, a, "copy.db"); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("a backup replaced a file: %v", err)
	}
	apptest.OK(backup.Compact(ctx, a))(t)
	if diff := cmp.Diff(before, dump(t, a)); diff != "" {
		t.Error(diff)
	}
	b.Opts.DB = r.To
	if diff := cmp.Diff(before, dump(t, b.Open())); diff != "" {
		t.Error(diff)
	}
	for _, c := range apptest.OK(doctor.Validate(ctx, a, true))(t) {
		if c.State != "ok" {
			t.Errorf("%+v", c)
		}
	}
}

func TestBackupLeavesAnExistingFile(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	file := filepath.Join(b.Home, "mine.txt")
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Backup(context.Background(), a, file); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("%q %v", text, err)
	}
}
