package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// disk is a small disk of its own.
func disk(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("needs the right to mount a disk, such as root's: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func remount(t *testing.T, dir string, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|flags, "size=4m"); err != nil {
		t.Fatal(err)
	}
}

// fillDisk takes every block of a disk that is free.
func fillDisk(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "full"))
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// unwritable are the ways in which nothing can be written beside a memory.
var unwritable = []struct {
	name string
	why  error
	disk bool // that it takes a disk of its own
	make func(t *testing.T, path string)
}{
	{"disk is mounted to be read", syscall.EROFS, true, func(t *testing.T, path string) { remount(t, filepath.Dir(path), syscall.MS_RDONLY) }},
	{"disk is full", syscall.ENOSPC, true, func(t *testing.T, path string) { fillDisk(t, filepath.Dir(path)) }},
	{"directory may not be written", syscall.EACCES, false, func(t *testing.T, path string) {
		if os.Geteuid() == 0 {
			t.Skip("needs a user who is not root: permissions do not stop root")
		}
		if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
				t.Error(err)
			}
		})
	}},
}

// TestMemoryThatCannotBeWrittenIsRead: with all that was acknowledged, also by a
// process that was killed and left a log.
func TestMemoryThatCannotBeWrittenIsRead(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, tc := range unwritable {
		for _, log := range []string{"closed", "with a log"} {
			t.Run(tc.name+", "+log, func(t *testing.T) {
				place := t.TempDir()
				if tc.disk {
					place = disk(t)
				}
				path := filepath.Join(place, "memory.db")
				h := startHolder(t, path)
				h.tell("set before", "done")
				if log == "closed" {
					h.tell("close", "done")
				}
				h.kill()
				if err := os.Remove(shmName(path)); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
				tc.make(t, path)

				db := openAt(t, path, Options{MustExist: true})
				for range 2 * maxReaders { // with other connections, too
					if err := db.View(ctx, func(store.Tx) error {
						if got := get(t, db, "before"); got != "1" {
							t.Errorf("before is %q", got)
						}
						return nil
					}); err != nil {
						t.Error(err)
					}
				}
				if err := db.Validate(ctx); err != nil {
					t.Error(err)
				}
				err := db.Update(ctx, func(store.Tx) error { t.Error("a write began"); return nil })
				if e := wantCode(t, err, kb.Internal); !errors.Is(err, tc.why) || !fsys.Unwritable(err) || e.Hint == "" {
					t.Errorf("write: %v", err)
				}
				if err := db.Unwritable(); !errors.Is(err, tc.why) {
					t.Errorf("unwritable: %v", err)
				}
				_, err = db.Compact(ctx)
				wantCode(t, err, kb.Internal)
				copied := filepath.Join(t.TempDir(), "copy.db")
				if err := db.Backup(ctx, copied); err != nil {
					t.Fatal(err)
				}
				if got := get(t, openAt(t, copied, Options{MustExist: true}), "before"); got != "1" {
					t.Errorf("in a copy before is %q", got)
				}
				if _, err := db.Changed(ctx); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// What is read as it lies is not given out when others have written it meanwhile.
func TestMemoryThatIsWrittenWhileItIsReadAsItLies(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, log := range []string{"closed", "with a log"} {
		t.Run(log, func(t *testing.T) {
			dir := disk(t)
			path := filepath.Join(dir, "memory.db")
			h := startHolder(t, path)
			h.tell("set before", "done")
			if log == "closed" {
				h.tell("close", "done")
			}
			h.kill()
			if err := removeFile(shmName(path)); err != nil {
				t.Fatal(err)
			}
			remount(t, dir, syscall.MS_RDONLY)
			db, err := openShort(path)
			if err != nil {
				t.Fatal(err)
			}
			remount(t, dir, 0)
			later := startHolder(t, path)
			during := db.View(ctx, func(store.Tx) error { later.tell("set after", "done"); return nil })
			wantCode(t, during, kb.Conflict)
			for _, name := range []string{"before", "after"} { // it is opened again
				if got := get(t, db, name); got != "1" {
					t.Errorf("%s is %q", name, got)
				}
			}
			later.tell("close", "done")
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			wantSettings(t, path, "before", "after")
		})
	}
}

// A memory that was opened while it could not be written is written once it can be.
func TestMemoryThatCanBeWrittenAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, log := range []string{"closed", "with a log"} {
		t.Run(log, func(t *testing.T) {
			dir := disk(t)
			path := filepath.Join(dir, "memory.db")
			h := startHolder(t, path)
			h.tell("set before", "done")
			if log == "closed" {
				h.tell("close", "done")
			}
			h.kill()
			if err := removeFile(shmName(path)); err != nil {
				t.Fatal(err)
			}
			remount(t, dir, syscall.MS_RDONLY)
			db := openAt(t, path, Options{MustExist: true})
			set := func() error {
				return db.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, "now", "1") })
			}
			if err := set(); !errors.Is(err, syscall.EROFS) {
				t.Fatalf("write: %v", err)
			}
			remount(t, dir, 0)
			err := db.View(ctx, func(store.Tx) error {
				if err := set(); !errors.Is(err, syscall.EROFS) { // its readers are not cut off
					t.Errorf("write while it is read: %v", err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			if err := errors.Join(set(), db.Unwritable()); err != nil {
				t.Error(err)
			}
			for _, name := range []string{"before", "now"} {
				if got := get(t, db, name); got != "1" {
					t.Errorf("%s is %q", name, got)
				}
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			wantSettings(t, path, "before", "now")
		})
	}
}

// A memory that is not there is not taken for one that cannot be written, nor is
// one that is damaged.
func TestOnlyWhatCannotBeWrittenIsReadAsItLies(t *testing.T) {
	t.Parallel()
	dir := disk(t)
	path := filepath.Join(dir, "memory.db")
	if err := os.WriteFile(path, []byte("This is no database, and longer than a header of one is: it goes on and on and on and on."), 0o600); err != nil {
		t.Fatal(err)
	}
	remount(t, dir, syscall.MS_RDONLY)
	for name, o := range map[string]Options{path: {}, path + "2": {MustExist: true}} {
		o.BusyTime = 50 * time.Millisecond
		db, err := Open(context.Background(), name, o)
		if err == nil {
			t.Fatal("opened", db.Close())
		}
		wantCode(t, err, kb.Damaged)
	}
}
