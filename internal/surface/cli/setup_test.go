package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/setup"
)

// An entry that a client could not start is not written: where the PATH leads
// to no cairn it has the path of this one, unless that does not last.
func TestSetupOffThePath(t *testing.T) {
	// Serial: it sets environment variables.
	u := newUser(t)
	t.Setenv("PATH", u.env.Dir)
	u.env.Program = "/tmp/go-build1/b001/exe/cairn"
	if _, errout, code := u.run(t.Context(), "setup", "codex"); code != 2 || !strings.Contains(errout, "go install ") {
		t.Errorf("code %d, %q", code, errout)
	}
	u.write(t, "opt/cairn", "a program")
	u.env.Program = filepath.Join(u.env.Dir, "opt", "cairn")
	if err := os.Chmod(u.env.Program, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, errout, code := u.run(t.Context(), "setup", "codex"); code != 0 || strings.Contains(errout, "warning") {
		t.Errorf("code %d, %q", code, errout)
	}
	text, err := os.ReadFile(filepath.Join(u.env.Home, ".codex", "config.toml"))
	if err != nil || !strings.Contains(string(text), "opt") {
		t.Errorf("%v: %s", err, text)
	}
	// A project is shared: there it is the name, and a word about it.
	_, errout, code := u.run(t.Context(), "setup", "codex", "--scope", "project")
	if code != 0 || !strings.Contains(errout, "codex runs cairn, which is not on the PATH") {
		t.Errorf("code %d, %q", code, errout)
	}
}

func TestSetupHelpNamesTheClients(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	out, _, _ := u.run(t.Context(), "setup", "--help")
	for _, name := range setup.Names() {
		if !strings.Contains(out, name) {
			t.Errorf("help does not name %s", name)
		}
	}
}

// Doctor says what is missing where there is no memory, and which clients
// cannot start cairn or have older skills.
func TestDoctorChecksClients(t *testing.T) {
	// Serial: it sets environment variables.
	u := newUser(t)
	t.Setenv("PATH", u.env.Dir)
	doctor := func(want ...string) {
		t.Helper()
		out, errout, code := u.run(t.Context(), "doctor", "--no-color")
		if code != 0 {
			t.Errorf("code %d, %q", code, errout)
		}
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("no %q in %s", w, out)
			}
		}
	}
	doctor("no memory at ", "cairn remember TEXT", "none is set up")
	u.write(t, "opt/cairn", "a program")
	u.env.Program = filepath.Join(u.env.Dir, "opt", "cairn")
	if err := os.Chmod(u.env.Program, 0o755); err != nil {
		t.Fatal(err)
	}
	u.run(t.Context(), "setup", "codex")
	doctor("codex can start cairn", "every client that is set up has them")
	if err := os.Remove(u.env.Program); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(u.env.Home, ".agents")); err != nil {
		t.Fatal(err)
	}
	u.run(t.Context(), "remember", "A stone.")
	doctor("which does not exist", "cairn setup codex --command PATH", "5 skills missing", "cairn setup codex\n")
	if _, _, code := u.run(t.Context(), "doctor", "--db", "nowhere.db"); code == 0 {
		t.Error("a memory that is named and not there is fine")
	}
}
