package space

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestGitRoot(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	file := func(path, text string) {
		t.Helper()
		path = filepath.Join(top, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := func(path string) string { return filepath.Join(top, path) }
	file("home/.git/HEAD", "")
	file("home/notes/a.md", "")
	file("api/.git/HEAD", "")
	file("api/cmd/x/main.go", "")
	file("wt/fix/.git", "gitdir: "+at("api/.git/worktrees/fix")+"\n")
	file("api/sub/.git", "gitdir: ../.git/modules/sub\n")
	file("none/x", "")
	file("device/x", "")
	if err := os.Symlink("/dev/zero", at("device/.git")); err != nil {
		t.Skip(err)
	}
	for dir, want := range map[string]string{
		"device":     "",
		"home/notes": "", "home": "", "none": "", "api": "api", "api/cmd/x": "api", "wt/fix": "api", "api/sub": "api/sub",
	} {
		if want != "" {
			want = at(want)
		}
		if got := gitRoot(at(dir), []string{at("home")}); got != want {
			t.Errorf("%s is in %q, want %q", dir, got, want)
		}
	}
	if got := gitRoot("", nil); got != "" {
		t.Errorf("no directory is in %q", got)
	}
}

func TestProjectSlug(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		".emacs.d": "emacs", "DeepSat": "deepsat", "my project": "my-project", "repo.git": "repo", "...": "", ".d": "d",
	} {
		if got := ProjectSlug(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestProjectOf(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	for _, dir := range []string{"home/.emacs.d/lisp", "home/.emacs.d/.git", "home/Downloads", "home/DeepSat/.git", "home/DeepSat/src", "home/kb/.git", "home/kb/raw", "home/+++/.git"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := func(path string) string { return filepath.Join(top, path) }
	r := &Registry{}
	r.Place.Home, r.Place.Dir = at("home"), at("home/DeepSat/src")
	own := kb.Space{Root: at("home/kb")}
	for dir, want := range map[string]string{
		"": "deepsat", at("home/.emacs.d"): "emacs", at("home/.emacs.d/lisp"): "emacs", at("home/Downloads"): "general", at("home/DeepSat"): "deepsat",
		at("home"): "general", "/": "general", at("home/kb/raw"): "general", at("home/+++"): "general",
	} {
		if got := ProjectOf(r, dir, own).Slug; got != want {
			t.Errorf("%s is of %q, want %q", dir, got, want)
		}
		if dir != "" {
			at := &Registry{}
			at.Place.Home, at.Place.Dir = r.Place.Home, dir
			if got := cmp.Or(at.Project(own), "general"); got != want {
				t.Errorf("what is captured in %s is of %q, want %q as well", dir, got, want)
			}
		}
	}
}
