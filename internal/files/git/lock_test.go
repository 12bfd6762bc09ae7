package git

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// A lock of Emacs counts while its process runs, or may run on another machine.
func TestLockOfAnEndedEmacs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("whether a process runs is not known there")
	}
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	tree := &Tree{Dir: t.TempDir()}
	for _, tt := range []struct {
		owner  string
		counts bool
	}{
		{fmt.Sprintf("ada@%s.%d", host, os.Getpid()), true},
		{fmt.Sprintf("ada@%s.%d:1790000000", host, os.Getpid()), true},
		{fmt.Sprintf("ada@%s.%d", host, gone.Process.Pid), false},
		{fmt.Sprintf("ada@%s.%d:1790000000", host, gone.Process.Pid), false},
		{fmt.Sprintf("ada@other-%s.%d", host, gone.Process.Pid), true},
		{"ada", true},
	} {
		at := filepath.Join(tree.Dir, ".#a.org")
		if err := os.Symlink(tt.owner, at); err != nil {
			t.Fatal(err)
		}
		if got := tree.locked("a.org") != ""; got != tt.counts {
			t.Errorf("%s counts: %t", tt.owner, got)
		}
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUnborn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files   map[string]string
		branch  string
		remotes []string
	}{
		"no repository":     {},
		"nothing committed": {map[string]string{"HEAD": "ref: refs/heads/main\n"}, "", nil},
		"checked out":       {map[string]string{"HEAD": "ref: refs/heads/main\n", "refs/heads/main": "1\n", "refs/remotes/origin/main": "1\n"}, "", nil},
		"packed":            {map[string]string{"HEAD": "ref: refs/heads/main\n", "packed-refs": "# pack-refs\n1 refs/heads/main\n1 refs/remotes/origin/main\n"}, "", nil},
		"another default":   {map[string]string{"HEAD": "ref: refs/heads/master\n", "refs/remotes/origin/main": "1\n"}, "master", []string{"origin/main"}},
		"and packed":        {map[string]string{"HEAD": "ref: refs/heads/master\n", "packed-refs": "1 refs/remotes/origin/main\n"}, "master", []string{"origin/main"}},
		"detached":          {map[string]string{"HEAD": "1234\n", "refs/remotes/origin/main": "1\n"}, "", nil},
	} {
		dir := t.TempDir()
		for file, text := range tt.files {
			at := filepath.Join(dir, ".git", filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if branch, remotes := Unborn(dir); branch != tt.branch || !slices.Equal(remotes, tt.remotes) {
			t.Errorf("%s: %q, %q", name, branch, remotes)
		}
	}
}
