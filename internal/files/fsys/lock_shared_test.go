package fsys_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

func TestSharesKeepTheExclusiveLockOut(t *testing.T) {
	t.Parallel()
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "locks", "memory.lock")
	share := func() func() error {
		unlock, err := fsys.LockShared(ctx, path, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		return unlock
	}
	first, second := share(), share()
	_, err := fsys.Lock(ctx, path, 0)
	wantBusy(t, err)
	if err := errors.Join(first(), first()); err != nil {
		t.Fatal(err)
	}
	_, err = fsys.Lock(ctx, path, 0)
	wantBusy(t, err)
	if err := second(); err != nil {
		t.Fatal(err)
	}
	unlock, err := fsys.Lock(ctx, path, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fsys.LockShared(ctx, path, 0)
	wantBusy(t, err)
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := share()(); err != nil {
		t.Fatal(err)
	}
}

func TestAShareIsRefusedWhileAnotherProcessHoldsTheLock(t *testing.T) {
	t.Parallel()
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "memory.lock")
	kill := hold(t, path)
	_, err := fsys.LockShared(ctx, path, 0)
	wantBusy(t, err)
	kill()
	unlock, err := fsys.LockShared(ctx, path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}
