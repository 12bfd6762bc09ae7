package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// backedUp makes a memory that holds k=new, and a backup that holds k=old.
func backedUp(t *testing.T) (path, backup string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "memory.db")
	backup = filepath.Join(t.TempDir(), "backup.db")
	db := openAt(t, path, Options{Clock: fixedClock})
	set(t, db, "k", "old")
	if err := db.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	set(t, db, "k", "new")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path, backup
}

// value returns what a memory holds for k.
func value(t *testing.T, path string) string {
	t.Helper()
	db := openAt(t, path, Options{MustExist: true})
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	return get(t, db, "k")
}

// leftByRestore returns what a restore has put beside a memory.
func leftByRestore(t *testing.T, path string) (left []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), RestoringSuffix) || strings.Contains(e.Name(), KeptInfix) {
			left = append(left, e.Name())
		}
	}
	return left
}

// At whatever call to the file system a restore fails or dies, the memory is
// the old one or the restored one, whole. A failure leaves no rest, and the next
// restore takes away what a death left.
func TestRestoreThatFailsLeavesAMemory(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	for _, dies := range []bool{false, true} {
		for n := 1; ; n++ {
			path, backup := backedUp(t)
			calls := 0
			_, err := restore(t.Context(), path, store.RestoreRequest{From: backup, Clock: fixedClock}, func(d *fsys.Dir) fsys.FS {
				f := fsys.NewFault(d)
				f.FailIf(func(fsys.Call) bool {
					calls++
					return calls == n || dies && calls > n
				}, syscall.ENOSPC)
				return f
			})
			if got := value(t, path); got != "old" && (got != "new" || err == nil) {
				t.Errorf("call %d, %v: the memory holds %q", n, err, got)
			} else if left := leftByRestore(t, path); len(left) > 0 && (got == "new" || strings.Contains(strings.Join(left, " "), RestoringSuffix)) {
				t.Errorf("call %d, %v: the next command left %v beside %q", n, err, left, got)
			}
			if _, err := (Driver{}).Restore(t.Context(), path, store.RestoreRequest{From: backup, Clock: fixedClock}); err != nil {
				t.Errorf("call %d: once more: %v", n, err)
			}
			if got := value(t, path); got != "old" {
				t.Errorf("call %d, in the end: the memory holds %q", n, got)
			}
			for _, name := range besideLocks(t, path) {
				if strings.Contains(name, ".restoring") {
					t.Errorf("call %d left %s", n, name)
				}
			}
			if calls < n {
				if err != nil || n < 10 {
					t.Errorf("%d calls, %v", n, err)
				}
				break
			}
		}
	}
}

func TestRestoreIsRefusedWhileTheMemoryIsOpen(t *testing.T) {
	t.Parallel()
	path, backup := backedUp(t)
	db := openAt(t, path, Options{MustExist: true})
	request := store.RestoreRequest{From: backup, Clock: fixedClock}
	_, err := Driver{}.Restore(t.Context(), path, request)
	if kb.CodeOf(err) != kb.Conflict || kb.AsError(err).Details["busy"] != true {
		t.Errorf("got %v", err)
	}
	if got := get(t, db, "k"); got != "new" {
		t.Errorf("the memory holds %q", got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := (Driver{}).Restore(t.Context(), path, request); err != nil {
		t.Error(err)
	}
}

// While a restore holds the memory, nobody opens it.
func TestOpenWaitsForARestore(t *testing.T) {
	t.Parallel()
	path, _ := backedUp(t)
	unlock, err := lockDatabase(t.Context(), lockFile(path, memoryLock), store.Exclusive, 0)
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan error)
	go func() {
		db, err := Open(t.Context(), path, Options{MustExist: true})
		if err == nil {
			err = db.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Errorf("opened during a restore: %v", err)
	default:
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

func TestRestoreRefusesWhatIsNoBackup(t *testing.T) {
	t.Parallel()
	path, _ := backedUp(t)
	for from, want := range map[string]kb.Code{
		foreign(t):                            kb.Damaged,
		filepath.Join(t.TempDir(), "none.db"): kb.NotFound,
		path:                                  kb.Usage,
	} {
		for _, dry := range []bool{true, false} {
			_, err := Driver{}.Restore(t.Context(), path, store.RestoreRequest{From: from, DryRun: dry, Clock: fixedClock})
			if kb.CodeOf(err) != want {
				t.Errorf("%s: %v", from, err)
			}
		}
	}
	if files := besideLocks(t, path); len(files) != 1 {
		t.Errorf("left %q", files)
	}
	if got := value(t, path); got != "new" {
		t.Errorf("the memory holds %q", got)
	}
}

// A trigger would run with the next write of the restored memory.
func TestRestoreRefusesForeignSchema(t *testing.T) {
	t.Parallel()
	path, backup := backedUp(t)
	c, err := connect(dsn(backup, true, false, time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.interruptible(t.Context(), "CREATE TRIGGER planted AFTER INSERT ON versions BEGIN DELETE FROM blobs; END"); err != nil {
		t.Fatal(err)
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		_, err := Driver{}.Restore(t.Context(), path, store.RestoreRequest{From: backup, DryRun: dry, Clock: fixedClock})
		wantCode(t, err, kb.Damaged)
	}
	if got := value(t, path); got != "new" {
		t.Errorf("the memory holds %q", got)
	}
}

// A restore or a migration that was killed while it wrote leaves files that the
// next command takes away, also where there is no memory; one under which the
// memory is kept with its log stays.
func TestLeftoversOfKilledRestoresGo(t *testing.T) {
	t.Parallel()
	for _, missing := range []bool{false, true} {
		path, _ := backedUp(t)
		part := path + RestoringSuffix
		kept := path + KeptInfix + "20260301T120000Z"
		db := &DB{path: path}
		migrated := db.BackupPath(1) + PartSuffix
		for _, name := range append(leftovers(path), migrated, migrated+"-journal") {
			if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.Link(path, kept), os.Link(path, kept+"-2"), os.WriteFile(kept+"-2-wal", nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		want := []string{filepath.Base(kept) + "-2", filepath.Base(kept) + "-2-wal"}
		if missing {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			_, err := Open(t.Context(), path, Options{MustExist: true})
			wantCode(t, err, kb.Damaged)
			want = append([]string{filepath.Base(kept)}, want...)
		} else if got := value(t, path); got != "new" {
			t.Errorf("the memory holds %q", got)
		}
		if left := leftByRestore(t, path); !slices.Equal(left, want) {
			t.Errorf("left %v, want %v", left, want)
		}
		for _, name := range []string{part, migrated, migrated + "-journal"} {
			if fsys.Exists(name) {
				t.Errorf("%s is left", name)
			}
		}
	}
}

// What a restore writes while it is under way is left alone.
func TestRestoreUnderWayKeepsItsFiles(t *testing.T) {
	t.Parallel()
	path, _ := backedUp(t)
	unlock, err := lockDatabase(t.Context(), lockFile(path, memoryLock), store.Exclusive, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	part := path + RestoringSuffix
	if err := errors.Join(os.WriteFile(part, nil, 0o600), os.Rename(path, path+".away")); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path, Options{MustExist: true})
	wantCode(t, err, kb.Damaged)
	if !fsys.Exists(part) {
		t.Error("it is gone")
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// A journal that a killed backup left is not replayed into the next backup of the
// same name.
func TestBackupAfterAKilledOne(t *testing.T) {
	t.Parallel()
	path, _ := backedUp(t)
	file := filepath.Join(t.TempDir(), "copy.db")
	for _, name := range append(logFiles(file+PartSuffix), file+PartSuffix) {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := openAt(t, path, Options{}).Backup(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(logFiles(file+PartSuffix), file+PartSuffix) {
		if fsys.Exists(name) {
			t.Errorf("%s is left", name)
		}
	}
	if got := value(t, file); got != "new" {
		t.Errorf("the copy holds %q", got)
	}
}

// The clear copy that a killed encrypted backup left is removed.
func TestUnsealedCopyIsRemoved(t *testing.T) {
	t.Parallel()
	path, _ := backedUp(t)
	left := path + store.UnsealedSuffix
	for _, name := range append(logFiles(left), left) {
		if err := os.WriteFile(name, []byte("clear"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	openAt(t, path, Options{})
	for _, name := range append(logFiles(left), left) {
		if fsys.Exists(name) {
			t.Errorf("%s is left", name)
		}
	}
	if got := value(t, path); got != "new" {
		t.Errorf("the memory holds %q", got)
	}
}

// The clear copy of an encrypted backup is there only while the memory is locked, under the
// name that the next start removes.
func TestRestoreUnsealsUnderTheLock(t *testing.T) {
	t.Parallel()
	path, backup := backedUp(t)
	broken := errors.New("broken off")
	for _, end := range []error{broken, nil} {
		plain := ""
		_, err := Driver{}.Restore(t.Context(), path, store.RestoreRequest{From: backup, Clock: fixedClock, Unseal: func(to string) error {
			plain = to
			b, err := os.ReadFile(backup)
			if err := errors.Join(err, os.WriteFile(to, b, 0o600)); err != nil {
				return err
			}
			soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // it would wait ten seconds
			defer cancel()
			if other, err := Open(soon, path, Options{}); err == nil {
				_ = other.Close()
				t.Error("the memory can be opened meanwhile")
			}
			if !fsys.Exists(to) {
				t.Error("the copy is removed meanwhile")
			}
			return end
		}})
		if !errors.Is(err, end) {
			t.Errorf("ended with %v: %v", end, err)
		}
		if plain != path+store.UnsealedSuffix || fsys.Exists(plain) {
			t.Errorf("%q is left, or not removed at the next start", plain)
		}
	}
}
