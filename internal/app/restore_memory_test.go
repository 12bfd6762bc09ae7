package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/kb"
)

// backedUp is a bed whose memory went on after a backup; it is closed, and
// before is what the backup holds.
func backedUp(t *testing.T) (b *bed, file, before string) {
	t.Helper()
	b = newBed(t)
	root := b.dir("garden", garden())
	a := b.open()
	ctx := context.Background()
	ok[app.Space](t)(a.Attach(ctx, root))
	ok[[]app.SyncReport](t)(a.Sync(ctx, app.SyncRequest{}))
	before = dump(t, a)
	file = ok[app.BackupResult](t)(a.Backup(ctx, "backup.db")).To
	edits(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return b, file, before
}

func (b *bed) database() string { return ok[string](b.t)(config.DatabasePath(b.opts.Place)) }

func TestRestoredMemoryIsTheBackup(t *testing.T) {
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
			if err := spoil(b.database()); err != nil {
				t.Fatal(err)
			}
			old, readErr := os.ReadFile(b.database())
			dry := ok[app.RestoredMemory](t)(app.RestoreMemory(ctx, b.opts, app.RestoreMemoryRequest{File: file, DryRun: true}))
			if now, _ := os.ReadFile(b.database()); string(now) != string(old) || dry.Kept != "" && exists(dry.Kept) {
				t.Error("a dry run changed the memory")
			}
			r := ok[app.RestoredMemory](t)(app.RestoreMemory(ctx, b.opts, app.RestoreMemoryRequest{File: file}))
			if diff := cmp.Diff(before, dump(t, b.open())); diff != "" {
				t.Error(diff)
			}
			if readErr == nil {
				if kept, err := os.ReadFile(r.Kept); err != nil || string(kept) != string(old) {
					t.Errorf("the memory before was not kept: %v", err)
				}
			} else if r.Kept != "" {
				t.Errorf("kept %s of nothing", r.Kept)
			}
			left, err := filepath.Glob(b.database() + ".restoring*")
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
	b, file, _ := backedUp(t)
	a := b.open()
	before := dump(t, a)
	_, err := app.RestoreMemory(context.Background(), b.opts, app.RestoreMemoryRequest{File: file})
	if kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Details["busy"] != true {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(before, dump(t, a)); diff != "" {
		t.Error(diff)
	}
}

func TestRestoreRefusesWhatIsNoBackup(t *testing.T) {
	b, file, _ := backedUp(t)
	damaged := filepath.Join(b.home, "damaged.db")
	whole := ok[[]byte](t)(os.ReadFile(file))
	if err := os.WriteFile(damaged, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	old := ok[[]byte](t)(os.ReadFile(b.database()))
	for file, want := range map[string]kb.Code{damaged: kb.Damaged, "none.db": kb.NotFound, b.database(): kb.Usage} {
		_, err := app.RestoreMemory(context.Background(), b.opts, app.RestoreMemoryRequest{File: file})
		if kb.CodeOf(err) != want {
			t.Errorf("%s: %v", file, err)
		}
	}
	if now := ok[[]byte](t)(os.ReadFile(b.database())); string(now) != string(old) {
		t.Error("the memory changed")
	}
	entries := ok[[]os.DirEntry](t)(os.ReadDir(filepath.Dir(b.database())))
	if len(entries) != 2 { // the memory and its locks
		t.Errorf("left %v", entries)
	}
}

// After a restore the documents in directories are what they were, and a sync
// makes the memory say so.
func TestDocumentsWinOverARestoredMemory(t *testing.T) {
	b, file, _ := backedUp(t)
	ctx := context.Background()
	a := b.open()
	before := dump(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	ok[app.RestoredMemory](t)(app.RestoreMemory(ctx, b.opts, app.RestoreMemoryRequest{File: file}))
	a = b.open()
	ok[[]app.SyncReport](t)(a.Sync(ctx, app.SyncRequest{}))
	// A file that was only touched since keeps the time that is known of it.
	times := regexp.MustCompile(`"updated":"[^"]*"`)
	if diff := cmp.Diff(times.ReplaceAllString(before, ""), times.ReplaceAllString(dump(t, a), "")); diff != "" {
		t.Error(diff)
	}
}
