package spaces

import (
	"bytes"
	"os"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
	"github.com/cairn-kb/cairn/internal/surface/cli/commandtest"
	"github.com/cairn-kb/cairn/internal/surface/server"
)

// Nothing that a server says of its work lets a terminal obey foreign text.
func TestServerLetsNoControlsThrough(t *testing.T) {
	t.Parallel()
	const evil = commandtest.Evil
	for _, e := range []server.Event{
		{Kind: server.Watching, Space: evil, Mode: "polling", Reason: evil},
		{Kind: server.Failed, Space: evil, Part: server.Directory, Err: kb.Errorf(kb.Internal, "%s", evil).WithHint("%s", evil)},
		{Kind: server.Mended, Space: evil, Part: server.Directory},
		{Kind: server.Maintained, Job: evil, Maintain: &api.JobReport{Job: evil, Did: evil}},
		{Kind: server.Synced, Space: evil, Sync: &api.SyncReport{Space: evil}},
	} {
		for _, format := range []string{"human", "json", "brief"} {
			var said bytes.Buffer
			p := &command.Program{Env: command.Env{Stdout: &said, Stderr: &said, StdoutTTY: true, StderrTTY: true, Getenv: os.Getenv}}
			p.Flags.Format = format
			serverOutput{p, nil, false}.event(e)
			if commandtest.Harmless(t, said.String(), "serve", string(e.Kind)); !commandtest.Shown(said.String()) {
				t.Errorf("%s says %q", e.Kind, said.String())
			}
		}
	}
}
