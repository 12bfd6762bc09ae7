package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// Beside a process that looks after the memory another one does nothing. That
// is fine for a timer, and a failure for who asked for something.
func TestMaintainBesideAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := filepath.Join(dir, "m.db")
	run := func(args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = Main(t.Context(), command.Env{
			Args: append(args, "--db", db, "--format", "human"), Stdout: &stdout, Stderr: &stderr,
			Getenv: func(string) string { return "" }, Dir: dir, Home: dir, TempDir: dir, Now: time.Now, After: time.After,
		})
		return code, stdout.String(), stderr.String()
	}
	if code, _, errs := run("init"); code != 0 {
		t.Fatal(errs)
	}
	unlock, err := fsys.Lock(t.Context(), db+".locks/maintain.lock", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if code, out, errs := run("maintain"); code != 0 || !strings.Contains(out, "another process") || errs != "" {
		t.Errorf("a timer ends with %d, %q, %q", code, out, errs)
	}
	for _, args := range [][]string{{"maintain", "--force"}, {"maintain", "--job", "merge"}} {
		if code, out, errs := run(args...); code != 4 || out != "" || !strings.Contains(errs, "another process") {
			t.Errorf("%v ends with %d, %q, %q", args, code, out, errs)
		}
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := run("maintain", "--job", "merge"); code != 0 || !strings.Contains(out, "merge  done") {
		t.Errorf("after that it ends with %d, %q, %q", code, out, errs)
	}
}
