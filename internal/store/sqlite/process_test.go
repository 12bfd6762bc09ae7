package sqlite

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

func fixedClock() time.Time { return time.Unix(1_800_000_000, 0) }

func sum(b []byte) kb.Hash { return sha256.Sum256(b) }

// childEnv makes the test binary act as another process: "role path".
const childEnv = "CAIRN_SQLITE_TEST_CHILD"

func TestMain(m *testing.M) {
	role, path, ok := strings.Cut(os.Getenv(childEnv), " ")
	if !ok {
		os.Exit(m.Run())
	}
	if err := child(role, path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(role, path string) error {
	ctx := context.Background()
	// All children wait for the same moment, so that their opens collide.
	if role == "opener" {
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			return err
		}
	}
	db, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	if role == "opener" {
		err := db.Update(ctx, func(tx store.Tx) error { return count(ctx, tx) })
		return firstError(err, db.Close())
	}
	if role == "holder" {
		return hold(ctx, db)
	}
	// The writer keeps two settings equal and says each number it committed.
	for {
		n := ""
		if err := db.Update(ctx, func(tx store.Tx) error {
			if err := count(ctx, tx); err != nil {
				return err
			}
			n, err = tx.Settings().Get(ctx, "count")
			if err != nil {
				return err
			}
			if _, err := tx.Journal().Append(ctx, []byte(n)); err != nil {
				return err
			}
			return tx.Settings().Set(ctx, "twin", n)
		}); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// count adds one to a number in the settings.
func count(ctx context.Context, tx store.Tx) error {
	value, err := tx.Settings().Get(ctx, "count")
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(value) // "" counts as 0
	return tx.Settings().Set(ctx, "count", strconv.Itoa(n+1))
}

func process(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+role+" "+path)
	return cmd
}

func TestEightProcessesOpenANewMemoryAtOnce(t *testing.T) {
	t.Parallel()
	const processes, rounds = 8, 3
	for range rounds {
		path := filepath.Join(t.TempDir(), "dir", "memory.db")
		var starts []func() error
		var children []*exec.Cmd
		var output [processes]strings.Builder
		for i := range processes {
			cmd := process(t, "opener", path)
			cmd.Stderr = &output[i]
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			children = append(children, cmd)
			starts = append(starts, func() error { _, err := in.Write([]byte("go\n")); return err })
		}
		for _, start := range starts {
			if err := start(); err != nil {
				t.Error(err)
			}
		}
		for i, cmd := range children {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %s", err, output[i].String())
			}
		}
		if got := get(t, openAt(t, path, Options{MustExist: true}), "count"); got != strconv.Itoa(processes) {
			t.Errorf("%s updates", got)
		}
	}
}

func TestKilledWriterLosesNothingItSaid(t *testing.T) {
	t.Parallel()
	path := made(t)
	ctx := context.Background()
	for round := range 3 {
		cmd := process(t, "writer", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		said := 0
		// Killed after another number of commits each time, while it goes on.
		for range 10 + 17*round {
			if !lines.Scan() {
				t.Fatalf("the writer ended: %v", lines.Err())
			}
			if said, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it said before the signal reached it
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				said = n
			}
		}
		_ = cmd.Wait() // killed, so always an error

		db, err := Open(ctx, path, Options{MustExist: true})
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(get(t, db, "count"))
		if err != nil || n < said {
			t.Errorf("count %d, said %d, %v", n, said, err)
		}
		if twin := get(t, db, "twin"); twin != strconv.Itoa(n) {
			t.Errorf("count %d, twin %s: half a transaction", n, twin)
		}
		if err := db.View(ctx, func(v store.Tx) error {
			pending, err := v.Journal().Pending(ctx)
			if len(pending) != n {
				t.Errorf("%d records for %d", len(pending), n)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := db.Validate(ctx); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
