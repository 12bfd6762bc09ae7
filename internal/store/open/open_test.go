package open_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/open"
)

func TestPathsAreFiles(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "memory.db")
	there := func(want bool) {
		t.Helper()
		if got, err := open.Exists(ctx, path); got != want || err != nil {
			t.Errorf("exists: %v, %v", got, err)
		}
	}
	there(false)
	if _, err := open.Memory(ctx, path, store.Options{MustExist: true}); kb.CodeOf(err) != kb.Damaged {
		t.Errorf("none was made, and none is there: %v", err)
	}
	there(false)
	m, err := open.Memory(ctx, path, store.Options{Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	there(true)
	if f, ok := m.(store.FileBacked); !ok || f.Path() != path {
		t.Errorf("%T is not backed by the file", m)
	}
	backup := path + ".backup"
	if err := m.(store.Backuper).Backup(ctx, backup); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := open.Restore(ctx, path, store.RestoreRequest{From: backup, Clock: time.Now})
	if err != nil || r.Bytes == 0 || r.Kept == "" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestTemporaryLeavesNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m, err := open.Temporary(ctx, store.Options{Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := m.Lock(ctx, "x", store.Exclusive, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func TestUnsupportedURL(t *testing.T) {
	// Serial: it changes the working directory.
	ctx, dir := t.Context(), t.TempDir()
	t.Chdir(dir)
	const location = "nosuch://host/db"
	_, opened := open.Memory(ctx, location, store.Options{})
	_, exists := open.Exists(ctx, location)
	_, restored := open.Restore(ctx, location, store.RestoreRequest{})
	for _, err := range []error{opened, exists, restored} {
		if kb.CodeOf(err) != kb.Usage {
			t.Errorf("error %v", err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
