package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
)

// What would run a program, or is an option, is no address; a remote that is there stays.
func TestRemote(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]kb.Code{
		"git@example.org:kb.git":        "",
		"https://example.org/a::b.git":  "",
		"/srv/kb.git":                   "",
		"ext::sh -c evil":               kb.Refused,
		"fd::3":                         kb.Refused,
		"--upload-pack=evil":            kb.Refused,
		"":                              kb.Usage,
		" ":                             kb.Usage,
		"git@example.org:kb.git\nevil=": kb.Usage,
	} {
		if got := kb.CodeOf(git.CheckRemote(url)); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
	tree := &git.Tree{Dir: t.TempDir()}
	for i := range 2 {
		if made, err := tree.Init(t.Context(), ""); err != nil || made != (i == 0) {
			t.Fatal(made, err)
		}
	}
	r, err := tree.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	far := t.TempDir() // with nothing of git in it: it cannot be reached
	for range 2 {
		if err := tree.SetRemote(t.Context(), r, far); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.SetRemote(t.Context(), r, far+"2"); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("another remote: %v", err)
	}
	state, err := tree.Branch(t.Context(), r)
	if err != nil || !strings.HasPrefix(state.Upstream, "origin/") {
		t.Errorf("it follows %q: %v", state.Upstream, err)
	}
}

// The first branch is the one to which the empty remote leads, so that a clone of it later
// checks it out.
func TestInitFollowsTheRemote(t *testing.T) {
	t.Parallel()
	remote := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", "--bare", "-b", "trunk", remote).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, tc := range map[string]struct {
		remote, file, branch string
	}{
		"an empty directory":              {remote, "", "trunk"},
		"a directory with files":          {remote, "a.org", ""},
		"a remote that is not there":      {remote + "-none", "", ""},
		"an option instead of an address": {"--upload-pack=x", "", ""},
	} {
		tree := &git.Tree{Dir: t.TempDir()}
		if tc.file != "" {
			if err := os.WriteFile(filepath.Join(tree.Dir, tc.file), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if made, err := tree.Init(t.Context(), tc.remote); err != nil || !made {
			t.Fatalf("%s: %v", name, err)
		}
		head, err := os.ReadFile(filepath.Join(tree.Dir, ".git", "HEAD"))
		if err != nil {
			t.Fatal(err)
		}
		branch := strings.TrimPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
		if tc.branch != "" && branch != tc.branch || tc.branch == "" && branch == "trunk" {
			t.Errorf("%s: the branch is %s", name, branch)
		}
	}
}

// The remote of a clone is origin, whatever name the user's settings give remotes.
func TestInitNamesOneRemote(t *testing.T) {
	// Serial: it sets environment variables.
	remote, config := t.TempDir(), filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("[clone]\n\tdefaultRemoteName = upstream\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	if out, err := exec.Command("git", "init", "-q", "--bare", remote).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tree := &git.Tree{Dir: t.TempDir()}
	if made, err := tree.Init(t.Context(), remote); err != nil || !made {
		t.Fatal(err)
	}
	out, err := exec.Command("git", "-C", tree.Dir, "remote").Output()
	if err != nil || string(out) != "origin\n" {
		t.Errorf("remotes: %q %v", out, err)
	}
}
