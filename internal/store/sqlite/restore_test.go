package sqlite

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
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

// At whatever call to the file system a restore fails or dies, the memory is
// the old one or the restored one, whole. A failure leaves no rest, and the next
// restore takes away what a death left.
func TestRestoreThatFailsLeavesAMemory(t *testing.T) {
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
	path, _ := backedUp(t)
	unlock, err := lock(t.Context(), lockFile(path, memoryLock), store.Exclusive, 0)
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
