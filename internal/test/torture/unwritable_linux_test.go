package torture

import (
	"errors"
	"github.com/cairn-kb/cairn/internal/memory"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A memory on a disk that is mounted to be read, or that is full, is read by every
// command that reads, which says that nothing can be written; what writes fails
// with what to do. It is not called damaged.
func TestUnwritableMemoryIsRead(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T, dir string){
		"read-only": func(t *testing.T, dir string) {
			if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
				t.Fatal(err)
			}
		},
		"disk is full": func(t *testing.T, dir string) {
			f := apptest.OK(os.Create(filepath.Join(dir, "full")))(t)
			var err error
			for err == nil {
				_, err = f.Write([]byte(strings.Repeat("x", 4096)))
			}
			if !errors.Is(err, syscall.ENOSPC) || f.Close() != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			home := fsystest.TempDir(t)
			dir := filepath.Dir(apptest.OK(space.DatabasePath(options(home, "").Place))(t))
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mount("none", dir, "tmpfs", 0, "size=8m,mode=700"); err != nil {
				t.Skipf("needs the right to mount a disk, such as root's: %v", err)
			}
			t.Cleanup(func() {
				if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
					t.Error(err)
				}
			})
			writeFile(t, filepath.Join(root(home), "a.md"), "A zebra.\n")
			a := apptest.OK(memory.Open(t.Context(), options(home, "test"), true))(t)
			apptest.OK(gitsync.AddSpace(t.Context(), asPerson(a), space.AddRequest{Root: root(home), Name: "notes"}))(t)
			apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{}))(t)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(root(home), "a.md"), "A zebra that nobody indexed.\n")
			make(t, dir)

			c := newCommands(t, home, "cli")
			reason := "the file system is " + name
			if !strings.Contains(name, "-") {
				reason = "the " + name
			}
			for _, args := range []string{"get a", "search zebra", "query zebra", "history a", "recent", "links a", "status", "prime", "db validate", "doctor", "space list"} {
				cmd := c.command(strings.Fields(args)...)
				out, err := cmd.CombinedOutput()
				if err != nil || args != "prime" && !strings.Contains(string(out), reason) {
					t.Errorf("%s: %v: %s", args, err, out)
				}
			}
			out, err := c.command("get", "a").CombinedOutput()
			if text := string(out); err != nil || !strings.Contains(text, "A zebra.") || !strings.Contains(text, "the file could not be indexed again") {
				t.Errorf("get: %v: %s", err, out)
			}
			for _, args := range []string{"put b text", "sync", "db compact"} {
				out, err := c.command(strings.Fields(args)...).CombinedOutput()
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), reason) || !strings.Contains(string(out), `"hint"`) {
					t.Errorf("%s: %v: %s", args, err, out)
				}
			}
		})
	}
}
