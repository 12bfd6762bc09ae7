package spaces

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/server"
)

func TestServeLog(t *testing.T) {
	t.Parallel()
	events := []server.Event{
		{Kind: server.Synced, Space: "notes", Sync: &api.SyncReport{Added: []string{"Zanzibar.md"}, Failed: []api.Skipped{{Path: "Zanzibar.md", Reason: "Zanzibar"}}}},
		{Kind: server.Failed, Part: server.Directory, Space: "notes", Err: kb.Errorf(kb.Internal, "the disk is\x1b[31m gone: %w", errors.New("away"))},
	}
	for _, tc := range []struct {
		o    logOptions
		want []string
	}{
		{logOptions{"info", "text"}, []string{
			`time=2026-01-02T03:04:05Z level=INFO msg=synced space=notes added=1 changed=0 moved=0 deleted=0 failed=1`,
			`time=2026-01-02T03:04:05Z level=WARN msg=failed part=directory space=notes code=internal error="the disk is␛[31m gone: away"`,
		}},
		{logOptions{"warn", "json"}, []string{
			`{"time":"2026-01-02T03:04:05Z","level":"WARN","msg":"failed","part":"directory","space":"notes","code":"internal","error":"the disk is␛[31m gone: away"}`,
		}},
		// What is not logged is said as ever: nothing else tells that the memory
		// falls behind.
		{logOptions{"error", "text"}, []string{
			`{"event":"failed","part":"directory","space":"notes","error":{"code":"internal","message":"the disk is\u001b[31m gone: away"}}`,
		}},
	} {
		var logged, out bytes.Buffer
		p := &command.Program{Env: command.Env{Stdout: &out, Stderr: &logged, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}}
		p.Flags.Format = "json"
		log := tc.o.logger(p)
		for _, e := range events {
			serverOutput{p, log, false}.event(e)
		}
		log.Log(t.Context(), slog.LevelDebug, "never at this level")
		if got := strings.Split(strings.TrimSpace(logged.String()), "\n"); strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
			t.Errorf("%v logs\n%s", tc.o, logged.String())
		}
	}
}
