package space_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
)

func TestToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := space.Place{Env: func(string) string { return "" }, Dir: dir, DB: filepath.Join(dir, "m.db")}
	if _, err := space.ReadToken(o, ""); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("without a token: %v", err)
	}

	// Servers that start at once have the same one.
	var made [8]string
	var all sync.WaitGroup
	for i := range made {
		all.Go(func() {
			token, err := space.MakeToken(t.Context(), o, "")
			if err != nil {
				t.Error(err)
			}
			made[i] = token
		})
	}
	all.Wait()
	for _, token := range made {
		if token != made[0] || len(token) < 26 {
			t.Errorf("the tokens are %q", made)
		}
	}

	// Another one takes its place, for whoever asks from then on.
	other, err := space.RotateToken(t.Context(), o, "")
	if now, readErr := space.ReadToken(o, ""); err != nil || readErr != nil || now != other || other == made[0] {
		t.Errorf("in the place of %q there is %q (%v), %q (%v)", made[0], other, err, now, readErr)
	}

	path, err := space.TokenPath(o)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if info.Mode().Perm() != 0o600 {
			t.Errorf("the token has mode %v", info.Mode())
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		if _, err := space.MakeToken(t.Context(), o, ""); kb.CodeOf(err) != kb.Refused {
			t.Errorf("a token that others can read is taken: %v", err)
		}
		if token, err := space.RotateToken(t.Context(), o, ""); err != nil || token == other {
			t.Errorf("in its place there is %q, %v", token, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the token in its place has mode %v, %v", info.Mode(), err)
		}
	}
	for text, code := range map[string]kb.Code{
		"": kb.Invalid, "short\n": kb.Invalid, "with blanks in between it\n": kb.Invalid, "written-by-hand-0123\r\n": "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if token, err := space.ReadToken(o, ""); kb.CodeOf(err) != code || code == "" && token != "written-by-hand-0123" {
			t.Errorf("%q is %q, %v", text, token, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := space.RotateToken(t.Context(), o, ""); err != nil {
		t.Errorf("where there was none: %v", err)
	}
}

// The name of the host stays when the token is replaced. It is that of the token only where a
// memory from before has no other.
func TestHost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := space.Place{Env: func(string) string { return "" }, Dir: dir, DB: filepath.Join(dir, "m.db")}
	of := func(secret string) string { return "the-host-of-" + secret }
	is := func(name string) bool { return strings.HasPrefix(name, "the-host-of-") }
	host := func() string {
		t.Helper()
		name, err := space.MakeHost(t.Context(), o, of, is)
		if err != nil || !is(name) {
			t.Fatalf("the host is %q, %v", name, err)
		}
		if info, err := os.Stat(filepath.Join(dir, "m.db.host")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("its file: %v, %v", info, err)
		}
		return name
	}
	first := host()
	token, err := space.MakeToken(t.Context(), o, "")
	if err != nil {
		t.Fatal(err)
	}
	if first == of(token) || host() != first {
		t.Errorf("the host is %s, and then %s", first, host())
	}
	file := filepath.Join(dir, "m.db.host")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if got := host(); got != of(token) {
		t.Errorf("of a memory without a name it is %s, want that of the token %s", got, token)
	}
	if _, err := space.RotateToken(t.Context(), o, ""); err != nil {
		t.Fatal(err)
	}
	if got := host(); got != of(token) {
		t.Errorf("after the token was replaced it is %s", got)
	}
	if err := os.WriteFile(file, []byte("another text than a name\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := host()
	if fresh == of(token) || host() != fresh {
		t.Errorf("instead of another text it is %s, and then %s", fresh, host())
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := host(); got == fresh {
			t.Errorf("others know the name, and it stays")
		}
	}
}

// An agent has a token of its own, beside the owner's.
func TestAgentToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := space.Place{Env: func(string) string { return "" }, Dir: dir, DB: filepath.Join(dir, "m.db")}
	if got := space.ReadTokens(o); len(got) != 0 {
		t.Errorf("without tokens there are %v", got)
	}
	if _, err := space.ReadToken(o, "robot"); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("without a token: %v", err)
	}
	make := func(agent string) string {
		t.Helper()
		token, err := space.MakeToken(t.Context(), o, agent)
		if again, err2 := space.MakeToken(t.Context(), o, agent); err != nil || err2 != nil || again != token {
			t.Fatalf("the token of %q is %q (%v), and then %q (%v)", agent, token, err, again, err2)
		}
		return token
	}
	owner, robot, other := make(""), make("robot"), make("other.one")
	want := []space.Token{{Text: owner}, {Text: other, Agent: "other.one"}, {Text: robot, Agent: "robot"}}
	if got := space.ReadTokens(o); !slices.Equal(got, want) || owner == robot || robot == other {
		t.Errorf("the tokens are %v, want %v", got, want)
	}

	// One in the place of an agent's changes no other, and what cannot be read
	// holds no more.
	anew, err := space.RotateToken(t.Context(), o, "robot")
	if err != nil || anew == robot {
		t.Errorf("in the place of %q there is %q, %v", robot, anew, err)
	}
	path, err := space.AgentTokenPath(o, "other.one")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the directory has mode %v, %v", info.Mode(), err)
		}
	}
	want = []space.Token{{Text: owner}, {Text: anew, Agent: "robot"}}
	if got := space.ReadTokens(o); !slices.Equal(got, want) {
		t.Errorf("the tokens are %v, want %v", got, want)
	}
	if fresh, err := space.RotateToken(t.Context(), o, "never-before"); err != nil || len(fresh) < 26 {
		t.Errorf("where there was none: %q, %v", fresh, err)
	}
	for _, name := range []string{"human", "human:eve", "agent:x", "agent", "sync", "Schedule", "../x", "a/b", `a\b`, ".x", "-x", "a b", "é", strings.Repeat("x", 65)} {
		if _, err := space.MakeToken(t.Context(), o, name); kb.CodeOf(err) != kb.Usage {
			t.Errorf("an agent named %q: %v", name, err)
		}
	}
}

// Every memory that has a URL has a token of its own, also on a machine without files of cairn.
func TestTokensOfURLs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	token := func(url string) string {
		t.Helper()
		text, err := space.MakeToken(t.Context(), space.Place{Env: func(string) string { return "" }, Home: home, DB: url}, "")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first := token("postgres://ada@db/kb")
	for url, same := range map[string]bool{
		"postgresql://eve@DB/kb?memory=main&sslmode=require": true,
		"postgres:///kb?host=db":                             true,
		"postgres://db/kb?memory=other":                      false,
		"postgres://db/other":                                false,
		"postgres://other/kb":                                false,
		"postgres://db:5433/kb":                              false,
	} {
		if got := token(url); (got == first) != same {
			t.Errorf("%s: same %v", url, got == first)
		}
	}
	info, err := os.Stat(filepath.Join(home, ".local", "share", "cairn"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}
