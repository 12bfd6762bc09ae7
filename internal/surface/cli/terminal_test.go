package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/cli"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/cli/commandtest"
)

// user runs cairn in this process, as somebody at a terminal.
type user struct {
	env         command.Env
	out, errout bytes.Buffer
}

func newUser(t *testing.T) *user {
	t.Helper()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"HOME": home, "TERM": "xterm-256color", "CAIRN_EMBED": "off"}
	u := &user{env: command.Env{
		Stdin:    strings.NewReader(""),
		StdinTTY: true, StdoutTTY: true, StderrTTY: true,
		Getenv: func(k string) string { return vars[k] },
		Dir:    dir, Home: home, TempDir: dir, Now: time.Now, After: time.After,
	}}
	u.env.Stdout, u.env.Stderr = &u.out, &u.errout
	return u
}

func (u *user) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(u.env.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (u *user) run(ctx context.Context, args ...string) (out, errout string, code int) {
	u.out.Reset()
	u.errout.Reset()
	u.env.Args = args
	code = cli.Main(ctx, u.env)
	return u.out.String(), u.errout.String(), code
}

// with is an environment with another value of a variable.
func with(env func(string) string, name, value string) func(string) string {
	return func(k string) string {
		if k == name {
			return value
		}
		return env(k)
	}
}

func TestTerminalShowsColoursOfOursOnly(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(t, "notes/evil.md", "---\ntitle: \"bad \\e]0;owned\\a title\"\n---\nA sneaky \x1b[31mred\x1b[0m \u202eelbisrever\u202c note.\n")
	for _, tc := range []struct {
		name string
		args []string
		want []string
	}{
		{"search", []string{"search", "--in", "notes", "sneaky"}, []string{"\x1b[1m", "evil.md:"}},
		{"search without colour", []string{"search", "--in", "notes", "sneaky", "--no-color"}, []string{"«sneaky»"}},
		{"get", []string{"get", "--in", "notes", "evil"}, []string{"␛[31mred", "�elbisrever"}},
		{"get as JSON", []string{"get", "--in", "notes", "evil", "--json"}, []string{`\u001b[31m`, `\u202e`}},
		{"list", []string{"list", "--in", "notes"}, []string{"bad ␛]0;owned␇ title"}},
		{"brief", []string{"list", "--in", "notes", "--format", "brief"}, []string{"bad ␛]0;owned␇ title"}},
		{"dry run", []string{"edit", "evil", "--in", "notes", "--append", "more", "--dry-run"}, []string{"\x1b[32m+more"}},
		{"dump", []string{"db", "dump"}, []string{`\u001b]0;owned`}},
	} {
		out, errout, code := u.run(t.Context(), tc.args...)
		if code != 0 {
			t.Errorf("%s: exit code %d: %s", tc.name, code, errout)
			continue
		}
		for _, w := range tc.want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: no %q in %q", tc.name, w, out)
			}
		}
		for _, bad := range []string{"\x1b", "\u202e", "\a"} {
			if strings.Contains(commandtest.Plain(out), bad) {
				t.Errorf("%s: %q in %q", tc.name, bad, out)
			}
		}
	}
}

func TestErrorsAreCleanToo(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(t, "notes/a.md", "a\n")
	_, errout, code := u.run(t.Context(), "get", "--in", "notes", "x\x1b[2J")
	if plain := commandtest.Plain(errout); code != 3 || strings.Contains(plain, "\x1b") || !strings.HasPrefix(plain, "error: ") || plain == errout {
		t.Errorf("code %d, %q", code, errout)
	}
}

func TestDoctorAsksBeforeItMends(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(t, "notes/a.md", "a\n")
	if _, errout, code := u.run(t.Context(), "sync", "--in", "notes"); code != 0 {
		t.Fatal(errout)
	}
	u.write(t, "notes/b.md", "b\n")
	for _, tc := range []struct {
		answer    string
		code      int
		out, errs string
	}{
		{"", 2, "", "Do this?"},
		{"\n", 2, "", "not agreed"},
		{"no\n", 2, "", "not agreed"},
		{"Y\n", 0, "sync the space", "to do: sync the space"},
		{"no\n", 0, "nothing to mend", ""},
	} {
		u.env.Stdin = strings.NewReader(tc.answer)
		out, errout, code := u.run(t.Context(), "doctor", "--fix")
		if code != tc.code || !strings.Contains(out, tc.out) || !strings.Contains(errout, tc.errs) {
			t.Errorf("answer %q: code %d, %q, %q", tc.answer, code, out, errout)
		}
	}
}

func TestUpgradeOfAPolicyAsksFirst(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	const old = "id = \"7655a114-538a-51ea-b901-b74aa64beada\"\nname = \"old\"\npreset = \"memory\"\nformat = \"markdown\"\n"
	u.write(t, "old/.cairn/space.toml", old)
	if _, errout, code := u.run(t.Context(), "space", "add", "old"); code != 0 {
		t.Fatal(errout)
	}
	policy := func() string {
		b, err := os.ReadFile(filepath.Join(u.env.Dir, "old", ".cairn", "space.toml"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	before := policy()
	for _, answer := range []string{"", "\n", "no\n"} {
		u.env.Stdin = strings.NewReader(answer)
		_, errout, code := u.run(t.Context(), "space", "upgrade", "old")
		if code != 0 || !strings.Contains(errout, "+gap_threshold") || !strings.Contains(errout, "Bring old up to date with its preset? [y/N]") || !strings.Contains(errout, "nothing was changed") {
			t.Errorf("answer %q: code %d, %q", answer, code, errout)
		}
		if policy() != before {
			t.Fatalf("answer %q: the policy was changed", answer)
		}
	}
	u.env.Stdin = strings.NewReader(" Yes \n")
	out, errout, code := u.run(t.Context(), "space", "upgrade", "old")
	if code != 0 || !strings.Contains(out, "+gap_threshold") || !strings.Contains(policy(), "append_only = true") {
		t.Errorf("code %d, %q, %q", code, out, errout)
	}
	u.env.Stdin = readerFunc(func([]byte) (int, error) { t.Error("asked where there is nothing to add"); return 0, io.EOF })
	if _, errout, code = u.run(t.Context(), "space", "upgrade", "old"); code != 0 || !strings.Contains(errout, "no change to the policy of old") {
		t.Errorf("again: code %d, %q", code, errout)
	}
	// Whoever reads JSON or asked for quiet would not see a question.
	u.env.Stdin = readerFunc(func([]byte) (int, error) { t.Error("a question that nobody sees"); return 0, io.EOF })
	for _, flag := range []string{"--json", "--quiet"} {
		u.write(t, "old/.cairn/space.toml", before)
		if _, errout, code := u.run(t.Context(), "space", "upgrade", "old", flag); code != 0 || policy() == before {
			t.Errorf("%s: code %d, %q", flag, code, errout)
		}
	}
}

func TestStoppedBySignal(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(t, "notes/a.md", "a\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, errout, code := u.run(ctx, "search", "--in", "notes", "a")
	if code != 130 || out != "" || commandtest.Plain(errout) != "error: stopped\n" {
		t.Errorf("code %d, %q, %q", code, out, errout)
	}
}

// TestStdinThatNeverEnds stops a command that waits for a pipe.
func TestStdinThatNeverEnds(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	u.env.StdinTTY = false
	u.env.Stdin = readerFunc(func(p []byte) (int, error) {
		cancel() // as Ctrl-C does while the read waits
		return r.Read(p)
	})
	if _, errout, code := u.run(ctx, "put", "x"); code != 130 {
		t.Errorf("code %d, %q", code, errout)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
