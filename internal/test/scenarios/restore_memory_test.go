package scenarios_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// backedUp is a bed whose memory went on after a backup; it is closed, and
// before is what the backup holds.
func backedUp(t *testing.T) (b *apptest.Bed, file, before string) {
	t.Helper()
	b = apptest.New(t)
	root := b.Dir("garden", garden())
	a := b.Open()
	ctx := context.Background()
	apptest.OK(a.Spaces.Attach(ctx, root))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	before = dump(t, a)
	file = apptest.OK(backup.Backup(ctx, a, "backup.db"))(t).To
	edits(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return b, file, before
}

func TestRestoredMemoryIsTheBackup(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	ctx := context.Background()
	garbage := []byte(strings.Repeat("a page that the disk has lost\n", 1000))
	for name, spoil := range map[string]func(path string) error{
		"sound":     func(string) error { return nil },
		"gone":      os.Remove,
		"garbage":   func(path string) error { return os.WriteFile(path, garbage, 0o600) },
		"truncated": func(path string) error { return os.Truncate(path, 20000) },
		"stray log": func(path string) error { return os.WriteFile(path+"-wal", garbage, 0o600) },
		"only a log": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path+"-wal", garbage, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, file, before := backedUp(t)
			if err := spoil(b.Database()); err != nil {
				t.Fatal(err)
			}
			old, readErr := os.ReadFile(b.Database())
			dry := apptest.OK(backup.Restore(ctx, b.Opts, backup.RestoreRequest{File: file, DryRun: true}))(t)
			if now, _ := os.ReadFile(b.Database()); string(now) != string(old) || dry.Kept != "" && exists(dry.Kept) {
				t.Error("a dry run changed the memory")
			}
			r := apptest.OK(backup.Restore(ctx, b.Opts, backup.RestoreRequest{File: file}))(t)
			if diff := cmp.Diff(before, dump(t, b.Open())); diff != "" {
				t.Error(diff)
			}
			if readErr == nil {
				if kept, err := os.ReadFile(r.Kept); err != nil || string(kept) != string(old) {
					t.Errorf("the memory before was not kept: %v", err)
				}
			} else if r.Kept != "" {
				t.Errorf("kept %s of nothing", r.Kept)
			}
			left, err := filepath.Glob(b.Database() + ".restoring*")
			if err != nil || len(left) > 0 {
				t.Errorf("left %v %v", left, err)
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestRestoreIsRefusedWhileTheMemoryIsOpen(t *testing.T) {
	t.Parallel()
	b, file, _ := backedUp(t)
	a := b.Open()
	before := dump(t, a)
	_, err := backup.Restore(context.Background(), b.Opts, backup.RestoreRequest{File: file})
	if kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Details["busy"] != true {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, dump(t, a)); diff != "" {
		t.Error(diff)
	}
}

func TestRestoreRefusesWhatIsNoBackup(t *testing.T) {
	t.Parallel()
	b, file, _ := backedUp(t)
	damaged := filepath.Join(b.Home, "damaged.db")
	whole := apptest.OK(os.ReadFile(file))(t)
	if err := os.WriteFile(damaged, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	old := apptest.OK(os.ReadFile(b.Database()))(t)
	for file, want := range map[string]kb.Code{damaged: kb.Damaged, "none.db": kb.NotFound, b.Database(): kb.Usage} {
		_, err := backup.Restore(context.Background(), b.Opts, backup.RestoreRequest{File: file})
		if kb.CodeOf(err) != want {
			t.Errorf("%s: %v", file, err)
		}
	}
	if now := apptest.OK(os.ReadFile(b.Database()))(t); string(now) != string(old) {
		t.Error("the memory changed")
	}
	entries := apptest.OK(os.ReadDir(filepath.Dir(b.Database())))(t)
	if len(entries) != 2 { // the memory and its locks
		t.Errorf("left %v", entries)
	}
}

// After a restore the documents in directories are what they were, and a sync
// makes the memory say so.
func TestDocumentsWinOverARestoredMemory(t *testing.T) {
	t.Parallel()
	b, file, _ := backedUp(t)
	ctx := context.Background()
	a := b.Open()
	before := dump(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	apptest.OK(backup.Restore(ctx, b.Opts, backup.RestoreRequest{File: file}))(t)
	a = b.Open()
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	// A file that was only touched since keeps the time that is known of it.
	times := regexp.MustCompile(`"updated":"[^"]*"`)
	if diff := cmp.Diff(times.ReplaceAllString(before, ""), times.ReplaceAllString(dump(t, a), "")); diff != "" {
		t.Error(diff)
	}
}
