//go:build unix

package torture

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A working directory that was removed is no place for a space: its path would
// be another one in each directory.
func TestTheWorkingDirectoryIsGone(t *testing.T) {
	t.Parallel()
	home := newHome(t, map[string]string{"a.md": "# A\n"})
	c := newCommands(t, home, "away")
	apptest.OK(gitsync.Sync(t.Context(), open(t, home), gitsync.SyncRequest{}))(t)
	gone := filepath.Join(home, "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"space add . --name here":              "the working directory was removed",
		"search --in . --space= words":         "the working directory was removed",
		"space map docs/** notes":              "the working directory was removed",
		"skills install --scope project":       "the working directory was removed",
		"get a":                                "# A",
		"prime":                                "cairn memory",
		"setup claude-code --scope project -q": "the working directory was removed",
	} {
		cmd := c.command(strings.Fields(args)...)
		cmd.Args = append([]string{"sh", "-c", `cd gone && rmdir "$PWD" && exec "$@"`, "sh"}, cmd.Args...)
		cmd.Path = apptest.OK(exec.LookPath("sh"))(t)
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("%s: %v: %s", args, err, out)
		}
		if err := os.MkdirAll(gone, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if spaces := apptest.OK(open(t, home).Spaces.List(t.Context()))(t); len(spaces) != 2 {
		t.Errorf("%v", spaces)
	}
}
