package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/git"
)

// Git waits for no special file of a repository, wherever git reads it: runs of git that would
// wait end, and their error names the file.
func TestGitWaitsForNoSpecialFile(t *testing.T) {
	t.Parallel()
	fifo := strange()["a FIFO"]
	if fifo == nil {
		t.Skip("a system without FIFOs")
	}
	for _, c := range []struct {
		name, at string
		before   func(b *bed)
	}{
		{"ignore file of a directory", "sub/.gitignore", nil},
		{"ignore file far below", "sub/deep/er/.gitignore", nil},
		{"attributes of a directory", "sub/.gitattributes", nil},
		{"included configuration", "sub/fifo", func(b *bed) { b.git("config", "include.path", "../sub/fifo") }},
		{"configuration that an included one includes", ".git/inner", func(b *bed) {
			b.write(".git/outer", "[include]\n\tpath = inner\n")
			b.git("config", "includeIf.gitdir:~/.path", "outer")
			b.git("config", "include.path", "outer")
		}},
		{"included configuration in the home directory", "", func(b *bed) {
			b.git("config", "include.path", "~/fifo")
			if err := fifo(filepath.Join(os.Getenv("HOME"), "fifo")); err != nil {
				b.t.Fatal(err)
			}
		}},
		{"ignore file that the configuration names", "sub/fifo", func(b *bed) { b.git("config", "core.excludesFile", "sub/fifo") }},
		{"attributes that the configuration names", "sub/fifo", func(b *bed) { b.git("config", "core.attributesFile", filepath.Join(b.top, "sub/fifo")) }},
		{"branch of a remote", ".git/refs/remotes/origin/main", func(b *bed) {
			b.git("config", "remote.origin.url", "/nowhere")
			b.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
			b.git("config", "branch.main.remote", "origin")
			b.git("config", "branch.main.merge", "refs/heads/main")
		}},
		{"tag", ".git/refs/tags/v1", nil},
		{"log of the branch", ".git/logs/HEAD", nil},
		{"objects elsewhere", "objects/pack/pack-1.idx", func(b *bed) {
			b.write("objects/pack/pack-1.pack", "PACK")
			b.write(".git/objects/info/alternates", filepath.Join(b.top, "objects")+"\n")
		}},
		{"repository in the repository", "sub/other/.git/HEAD", func(b *bed) {
			b.write("sub/other/.git/objects/x", "")
			b.write("sub/other/.git/refs/x", "")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.mustPut("sub/c.md", "c\n", "sub/deep/er/d.md", "d\n")
			if c.at != "" {
				at := filepath.Join(b.top, filepath.FromSlash(c.at))
				_ = os.Remove(at)
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if c.before != nil {
					c.before(b)
				}
				if err := fifo(at); err != nil {
					t.Fatal(err)
				}
			} else {
				c.before(b)
			}
			b.write("sub/c.md", "changed\n")
			b.write("sub/e.md", "e\n")
			b.tree.Limits = git.Limits{Local: 20 * time.Second, Hook: 20 * time.Second}
			waited := func(what string, err error) {
				t.Helper()
				if errors.Is(err, git.ErrTimeout) {
					t.Errorf("%s: %v", what, err)
				}
				if errors.Is(err, fsys.ErrNotRegular) && !strings.Contains(err.Error(), "not a regular file") {
					t.Errorf("%s: %v", what, err)
				}
			}
			r, err := b.tree.Open(t.Context())
			if waited("open", err); err != nil {
				return
			}
			_, err = b.tree.State(t.Context(), r, nil)
			waited("state", err)
			_, err = b.tree.Programs(t.Context(), r)
			waited("programs", err)
			_, _, err = b.tree.Versions(t.Context(), r, 100, func(git.Version, []byte) error { return nil })
			waited("versions", err)
			_, err = b.put("sub/deep/er/d.md", "other\n")
			waited("commit", err)
		})
	}
}

// A FIFO in the directory of git that git does not read, such as one of a hook, ends no run that
// takes long.
func TestSpecialFilesOfOthers(t *testing.T) {
	t.Parallel()
	fifo := strange()["a FIFO"]
	if fifo == nil {
		t.Skip("a system without FIFOs")
	}
	b := newBed(t)
	b.mustPut("a.md", "a\n")
	if err := fifo(filepath.Join(b.top, ".git", "progress.pipe")); err != nil {
		t.Fatal(err)
	}
	b.hook("pre-commit", "sleep 1")
	b.mustPut("a.md", "b\n")
}
