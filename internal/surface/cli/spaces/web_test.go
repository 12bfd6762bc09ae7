package spaces

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/login"
)

// cairn web serves until it is stopped when no server runs, and else only makes a link. The
// link reaches a browser through a file that nobody else can read.
func TestWeb(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var out, errs bytes.Buffer
	served, opened := 0, ""
	running, another := false, false
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	address, err := command.BesideMemory(space.Place{Env: func(string) string { return "" }, Dir: home, Home: home}, command.AddressFile)
	if err != nil {
		t.Fatal(err)
	}
	run := func(o webOptions) string {
		t.Helper()
		out.Reset()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		p := command.New(ctx, command.Env{
			Name: "cairn", Stdout: &out, Stderr: &errs, Dir: home, Home: home, TempDir: home, StdoutTTY: true, StderrTTY: true,
			Getenv: func(name string) string { return map[string]string{"CAIRN_ACTOR": "human:ada"}[name] },
			Now:    func() time.Time { return now }, After: func(time.Duration) <-chan time.Time { return nil },
			HTTP: func(_ context.Context, s command.HTTPSession) error {
				served++
				s.Ready("http://127.0.0.1:4321")
				if !another {
					return nil
				}
				return os.WriteFile(address, []byte("127.0.0.1:4321\nof another server\n"), 0o600)
			},
			Browse:  func(_ context.Context, file string) error { opened = file; return nil },
			Reaches: func(_ context.Context, address, _ string) bool { return running && address == "127.0.0.1:4321" },
		})
		p.Flags.Format = "human"
		if err := runWeb(ctx, p, o, "/page/a"); err != nil {
			t.Fatalf("%v: %s", err, errs.String())
		}
		return strings.TrimSpace(out.String())
	}
	host := ""
	secret := func() string {
		text, err := space.ReadToken(space.Place{Env: func(string) string { return "" }, Dir: home, Home: home}, "")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	check := func(link string) {
		t.Helper()
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		ticket, ok := login.Check(secret(), login.Link, u.Query().Get("ticket"), now)
		if host == "" {
			host = u.Host
		}
		name, port, _ := strings.Cut(u.Host, ":")
		if u.Host != host || !login.IsHost(name) || name == login.Host(secret()) || port != "4321" || u.Path != "/login" || u.Query().Get("to") != "/page/a" || !ok || ticket.Actor.String() != "human:ada" {
			t.Errorf("the link is %s (%v)", link, ticket.Actor)
		}
	}
	check(run(webOptions{print: true}))
	if served != 1 || opened != "" {
		t.Errorf("served %d times, opened %q", served, opened)
	}
	if _, err := os.Stat(address); !os.IsNotExist(err) {
		t.Errorf("the server has ended, and its address is noted still: %v", err)
	}
	another = true
	check(run(webOptions{print: true}))
	if at, err := command.ReadAddress(space.Place{Env: func(string) string { return "" }, Dir: home, Home: home}); at != "127.0.0.1:4321" || err != nil {
		t.Errorf("the address of another server was removed: %q %v", at, err)
	}
	running = true
	check(run(webOptions{print: true}))
	if served != 2 {
		t.Error("a second server was started")
	}
	if said := run(webOptions{}); said != "" || opened == "" {
		t.Errorf("it prints %q, and opens %q", said, opened)
	}
	text, err := os.ReadFile(opened)
	if err != nil {
		t.Fatal(err)
	}
	_, link, _ := strings.Cut(string(text), `<a href="`)
	link, _, _ = strings.Cut(link, `"`)
	check(strings.ReplaceAll(link, "&amp;", "&"))
	for _, file := range []string{opened, address} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", file, info.Mode())
		}
	}
	if public := run(webOptions{print: true, public: "https://example.org/notes/"}); !strings.HasPrefix(public, "https://example.org/notes/login?ticket=") {
		t.Errorf("behind a proxy the link is %s", public)
	}
}
