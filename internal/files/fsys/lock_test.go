package fsys_test

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// holdVar makes this test binary, started again, take the lock at the path in
// it, say so, and wait for the end of its standard input.
const holdVar = "CAIRN_TEST_HOLD_LOCK"

func TestMain(m *testing.M) {
	if path := os.Getenv(holdVar); path != "" {
		if _, err := fsys.Lock(context.Background(), path, time.Minute); err != nil {
			os.Exit(3)
		}
		os.Stdout.WriteString("locked\n")
		bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// hold starts a process that holds the lock, and returns how to kill it.
func hold(t *testing.T, path string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdVar+"="+path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		cmd.Process.Kill()
		cmd.Wait()
		stdin.Close()
	})
	t.Cleanup(kill)
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the other process said %q, %v", line, err)
	}
	return kill
}

func wantBusy(t *testing.T, err error) {
	t.Helper()
	var e *kb.Error
	if !errors.Is(err, fsys.ErrBusy) || !errors.As(err, &e) || e.Code != kb.Conflict || e.Details["busy"] != true || e.Hint == "" {
		t.Errorf("error %#v", err)
	}
}

func lock(t *testing.T, path string) func() error {
	t.Helper()
	unlock, err := fsys.Lock(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return unlock
}

func TestLockFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "dir", "write.lock")
	unlock := lock(t, path)
	if err := errors.Join(unlock(), unlock()); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): fs.ModeDir | 0o700} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode() != want {
			t.Errorf("%s: mode %v", name, info.Mode())
		}
	}
	if err := lock(t, path)(); err != nil {
		t.Errorf("second time: %v", err)
	}
}

func TestLockBetweenProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "write.lock")
	kill := hold(t, path)
	_, err := fsys.Lock(t.Context(), path, 0)
	wantBusy(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fsys.Lock(ctx, path, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	kill()
	if err := lock(t, path)(); err != nil {
		t.Errorf("after the other process died: %v", err)
	}
}

// The wait for another process ends after the busy time, not before, and not
// by counting.
func TestLockBusyTime(t *testing.T) {
	// Serial: it measures time.
	path := filepath.Join(t.TempDir(), "write.lock")
	hold(t, path)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := fsys.Lock(t.Context(), path, 2*time.Second)
		wantBusy(t, err)
		if waited := time.Since(start); waited != 2*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestLockBetweenGoroutines(t *testing.T) {
	// Serial: it measures time.
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(dir, "write.lock")
		unlock := lock(t, path)
		start := time.Now()
		_, err := fsys.Lock(t.Context(), path, time.Second)
		wantBusy(t, err)
		if waited := time.Since(start); waited != time.Second {
			t.Errorf("waited %v", waited)
		}
		if err := lock(t, filepath.Join(dir, "other.lock"))(); err != nil {
			t.Errorf("another lock: %v", err)
		}
		// Waiters get it in the order in which they came.
		var order []int
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				mine := lock(t, path)
				order = append(order, i)
				if err := mine(); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		ctx, cancel := context.WithCancel(t.Context())
		wg.Go(func() {
			if _, err := fsys.Lock(ctx, path, time.Minute); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		if len(order) != 0 {
			t.Errorf("%v had the lock beside its holder", order)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		for i, got := range order {
			if got != i {
				t.Errorf("order %v", order)
				break
			}
		}
		if len(order) != 5 {
			t.Errorf("only %v had the lock", order)
		}
		if err := lock(t, path)(); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

func TestLockUnusablePath(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(file, "write.lock"), filepath.Dir(file)} {
		for range 2 { // the second time shows that the first left no turn behind
			if _, err := fsys.Lock(t.Context(), path, time.Minute); err == nil || errors.Is(err, fsys.ErrBusy) {
				t.Errorf("%s: error %v", path, err)
			}
		}
	}
}
