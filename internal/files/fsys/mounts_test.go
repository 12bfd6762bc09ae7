package fsys

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// A directory that is mounted at a second place has two paths, and so has all in it.
func TestOtherPathsOfMountedDirectories(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths of Unix")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rules, bound := filepath.Join(top, "notes", "rules"), filepath.Join(top, "bound here")
	for _, err := range []error{os.MkdirAll(filepath.Join(rules, "sub"), 0o700), os.Symlink(rules, bound), os.Mkdir(filepath.Join(top, "other"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	m := parseMounts("22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n" +
		"23 22 0:5 / /proc rw - proc proc rw\n" +
		"31 22 8:1 " + rules + " " + top + `/bound\040here` + " rw - ext4 /dev/sda1 rw\n" +
		"32 22 8:2 " + rules + " " + filepath.Join(top, "other") + " rw - ext4 /dev/sdb1 rw\n" +
		"short line\n")
	for dir, want := range map[string]string{
		rules:                            bound,
		filepath.Join(rules, "sub"):      filepath.Join(bound, "sub"),
		filepath.Join(bound, "sub"):      filepath.Join(rules, "sub"),
		filepath.Join(bound, "new", "x"): filepath.Join(rules, "new", "x"),
		bound:                            rules,
		filepath.Join(top, "notes"):      "",
		filepath.Join(top, "other"):      "",
		"relative":                       "",
	} {
		if got := slices.Concat(m.Others(dir), []string{""}); got[0] != want {
			t.Errorf("%s: %q, want %s", dir, got, want)
		}
	}
	if got := Mounts(nil).Others(rules); got != nil {
		t.Errorf("without mounts: %q", got)
	}
}
