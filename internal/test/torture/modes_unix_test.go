//go:build unix

package torture

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/cmd/cairn/cairntest"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
)

// Whatever the umask is, the memory with everything beside it is its owner's
// alone, and a file that is replaced keeps the mode that its owner gave it.
func TestModesUnderAnyUmask(t *testing.T) {
	t.Parallel()
	for _, umask := range []string{"000", "022", "077"} {
		home := fsystest.TempDir(t)
		note := filepath.Join(home, "notes", "a.md")
		writeFile(t, note, "# A\n")
		if err := os.Chmod(note, 0o664); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"space", "add", filepath.Join(home, "notes")}, {"sync"}, {"edit", "a", "--append", "more"},
			{"config", "set", "limit", "7"}, {"db", "backup", filepath.Join(home, ".local", "backup.db")},
		} {
			cmd := exec.Command("sh", append([]string{"-c", "umask " + umask + `; exec "$@"`, "sh", cairntest.Binary(t)}, args...)...)
			cmd.Dir = home
			cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%q: %v: %s", args, err, out)
			}
		}
		files := 0
		for _, dir := range []string{filepath.Join(home, ".local", "share", "cairn"), filepath.Join(home, ".local", "backup.db"), filepath.Join(home, ".config", "cairn", "config.toml")} {
			err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				files++
				if info, err := d.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
					t.Errorf("umask %s: %s has the mode %v (%v)", umask, name, info.Mode(), err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		if files < 5 {
			t.Errorf("only %d files were looked at", files)
		}
		if info, err := os.Stat(note); err != nil || info.Mode().Perm() != 0o664 {
			t.Errorf("umask %s: the note has the mode %v (%v)", umask, info.Mode(), err)
		}
	}
}
