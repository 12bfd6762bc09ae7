package sqlite

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// modernc.org/libc is translated together with SQLite: any other version than
// the one that SQLite's own go.mod names is untested there.
func TestLibcIsTheVersionThatSQLiteNames(t *testing.T) {
	t.Parallel()
	list := func(args ...string) string {
		out, err := exec.Command("go", append([]string{"list", "-m", "-f"}, args...)...).Output()
		if err != nil {
			t.Skipf("go list: %v (no module cache?)", err)
		}
		return strings.TrimSpace(string(out))
	}
	ours := list("{{.Version}}", "modernc.org/libc")
	mod, err := os.ReadFile(list("{{.GoMod}}", "modernc.org/sqlite"))
	if err != nil {
		t.Skipf("SQLite's go.mod: %v", err)
	}
	for line := range strings.Lines(string(mod)) {
		if f := strings.Fields(line); len(f) >= 2 && f[len(f)-2] == "modernc.org/libc" || len(f) >= 2 && f[0] == "modernc.org/libc" {
			theirs := f[1]
			if f[0] == "require" {
				theirs = f[2]
			}
			if ours != theirs {
				t.Errorf("modernc.org/libc is %s, SQLite wants %s", ours, theirs)
			}
			return
		}
	}
	t.Error("SQLite's go.mod does not name modernc.org/libc any more")
}
