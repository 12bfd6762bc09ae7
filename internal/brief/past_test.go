package brief_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/knowledge/sessions"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// withSessions is a bed in the directory of a project that had a session; so had another one.
func withSessions(t *testing.T) (*apptest.Bed, string) {
	t.Helper()
	b := apptest.New(t)
	project := b.Dir("api", map[string]string{"a.md": "# A\n"})
	line := func(dir, text string) string {
		return strings.NewReplacer("DIR", dir, "TEXT", text).Replace(`{"type":"user","message":{"role":"user","content":"TEXT"},"timestamp":"2026-11-20T10:00:00.000Z","cwd":"DIR","sessionId":"x","gitBranch":"main"}` + "\n")
	}
	for dir, text := range map[string]string{project: "Make the retries back off", "/src/web": "Paint the button"} {
		at := filepath.Join(b.Home, ".claude", "projects", strings.ReplaceAll(dir, "/", "-"))
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "x.jsonl"), []byte(line(dir, text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.Opts.Place.Dir = project
	return b, project
}

// Where there are only past sessions, the text says how to find them.
func TestPrimeOfSessionsAlone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b, _ := withSessions(t)
	a := b.Open()
	prime := func(req brief.PrimeRequest) string { return apptest.OK(brief.PrimeSession(ctx, a, req))(t).Text }
	if text := prime(brief.PrimeRequest{}); text != "" {
		t.Errorf("without a space: %s", text)
	}
	apptest.OK(sessions.Attach(ctx, a, sessions.AttachRequest{}))(t)
	apptest.OK(sessions.List(ctx, a, sessions.ListRequest{}))(t)
	text := prime(brief.PrimeRequest{})
	for _, want := range []string{`cairn query "QUESTION" --space sessions`, "cairn sessions", "cairn capture TEXT", `Last sessions here: 2026-11-20 claude-code "Make the retries back off".`} {
		if !strings.Contains(text, want) {
			t.Errorf("the answer lacks %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Paint") {
		t.Errorf("it names a session of another project:\n%s", text)
	}
	if text := prime(brief.PrimeRequest{Budget: 20}); text != "" {
		t.Errorf("a budget of 20 gives %s", text)
	}
	if text := prime(brief.PrimeRequest{Brief: true}); !strings.Contains(text, "--space sessions") || strings.Contains(text, "capture TEXT") {
		t.Errorf("a brief answer is %s", text)
	}
}

// The last sessions of the project are named in two lines, those of others are not.
func TestPrimeNamesPastSessions(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b, project := withSessions(t)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: project, Name: "api"}))(t)
	prime := func() string {
		p := apptest.OK(brief.PrimeSession(ctx, a, brief.PrimeRequest{}))(t)
		return p.Text
	}
	if text := prime(); strings.Contains(text, "Last sessions") {
		t.Errorf("without attached sessions: %s", text)
	}
	apptest.OK(sessions.Attach(ctx, a, sessions.AttachRequest{}))(t)
	apptest.OK(sessions.List(ctx, a, sessions.ListRequest{}))(t)
	text := prime()
	for _, want := range []string{`Last sessions here: 2026-11-20 claude-code "Make the retries back off".`, `They left open: "`} {
		if !strings.Contains(text, want) {
			t.Errorf("the answer lacks %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Paint") {
		t.Errorf("it names a session of another project:\n%s", text)
	}
}
