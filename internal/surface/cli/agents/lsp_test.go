package agents

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// An editor opens a page in the web UI that runs, for a person only, and starts none.
func TestOpenWeb(t *testing.T) {
	t.Parallel()
	const id = kb.ID("7d2b9a34-1c6e-4f0b-b7a8-3e5d6c4f1a02")
	home := t.TempDir()
	place := space.Place{Env: func(string) string { return "" }, Dir: home, Home: home}
	if _, err := space.MakeToken(t.Context(), place, ""); err != nil {
		t.Fatal(err)
	}
	address, err := command.BesideMemory(place, command.AddressFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(address, []byte("127.0.0.1:4321\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func(actor string, running bool) (page string, _ error) {
		t.Helper()
		var out bytes.Buffer
		p := command.New(t.Context(), command.Env{
			Name: "cairn", Stdout: &out, Stderr: t.Output(), Dir: home, Home: home, TempDir: home,
			Getenv: func(name string) string { return map[string]string{"CAIRN_ACTOR": actor}[name] },
			Now:    func() time.Time { return time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC) },
			Browse: func(_ context.Context, file string) error {
				text, err := os.ReadFile(file)
				page = string(text)
				return err
			},
			Reaches: func(_ context.Context, address, _ string) bool { return running && address == "127.0.0.1:4321" },
		})
		err := openWeb(t.Context(), p, id)
		if out.Len() > 0 {
			t.Errorf("%q among the messages of the protocol", out.String())
		}
		return page, err
	}
	if page, err := open("human:ada", true); err != nil || !strings.Contains(page, "to=%2Fpage%2F"+string(id)) || !strings.Contains(page, ":4321/login?") {
		t.Errorf("%s, %v", page, err)
	}
	if page, err := open("human:ada", false); page != "" || kb.CodeOf(err) != kb.NotFound || !strings.Contains(kb.AsError(err).Hint, "cairn serve --http") {
		t.Errorf("without a server: %s, %v", page, err)
	}
	if page, err := open("agent:claude", true); page != "" || err == nil {
		t.Errorf("for an agent: %s, %v", page, err)
	}
}
