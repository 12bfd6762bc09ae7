package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/files/git"
)

// Commits without an index of their own are those that git would make of the same files, in
// repositories of every kind.
func TestCommitsAreThoseOfGit(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(*bed){
		"plain":           func(*bed) {},
		"packed":          func(b *bed) { b.git("gc", "-q") },
		"index version 4": func(b *bed) { b.git("update-index", "--index-version", "4") },
		"split index":     func(b *bed) { b.git("update-index", "--split-index") },
		"line endings": func(b *bed) {
			b.write(".gitattributes", "*.md text eol=lf\n")
			b.git("add", "-A")
			b.git("commit", "-q", "-m", "attributes")
		},
		"shared": func(b *bed) { b.git("config", "core.sharedRepository", "group") },
		"subdirectory": func(b *bed) {
			b.write("in/here/x.md", "x\n")
			b.git("add", "-A")
			b.git("commit", "-q", "-m", "in")
			b.tree.Dir = filepath.Join(b.top, "in", "here")
		},
		"sha256": func(b *bed) {
			b.top = filepath.Join(filepath.Dir(b.top), "sha256")
			b.git0(filepath.Dir(b.top), "init", "-q", "-b", "main", "--object-format=sha256", b.top)
			b.git("config", "user.name", "Ada")
			b.git("config", "user.email", "ada@example.org")
			b.tree.Dir = b.top
		},
	}
	type files map[string]string
	steps := []files{
		{"a.md": "a2\r\n", "new/deep/er/c.md": "c\n", "new/d.md": "d\n"},
		{"new/deep/er/c.md": "", "new/deep.md": "sorts before the directory\n", "new/deep-er.md": "x\n"},
		{"new/d.md": "", "new/deep.md": "", "new/deep-er.md": "", "e\u00e9.md": "odd name\n"},
		{"a.md": "", "a.md/inside.md": "a directory takes the place of a file\n"},
		{"a.md/inside.md": "", "a.md": "and back\n"},
		{"run.md": "#!/bin/sh\necho 2\n"},
	}
	for name, prepare := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			prepare(b)
			for i, step := range steps {
				r := b.open()
				head := ""
				if state, err := b.tree.State(t.Context(), r, nil); err != nil {
					t.Fatal(err)
				} else {
					head = state.Head
				}
				if i == len(steps)-1 {
					at := filepath.Join(b.tree.Dir, "run.md")
					fsystest.WriteProgram(t, at, "#!/bin/sh\n")
					b.git("add", at)
					b.git("update-index", "--chmod=+x", at)
					b.git("commit", "-q", "-m", "run")
					head = b.git("rev-parse", "HEAD")
				}
				c := git.Commit{Base: head, Token: "t", Subject: "step"}
				for p, text := range step {
					if text == "" {
						c.Changes = append(c.Changes, git.Change{Path: p})
						if err := os.RemoveAll(filepath.Join(b.tree.Dir, p)); err != nil {
							t.Fatal(err)
						}
						continue
					}
					c.Changes = append(c.Changes, git.Change{Path: p, New: []byte(text)})
				}
				for _, ch := range c.Changes {
					if ch.New == nil {
						continue
					}
					at := filepath.Join(b.tree.Dir, ch.Path)
					_ = os.Remove(at) // an empty directory
					if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
						t.Fatal(err)
					}
					mode := os.FileMode(0o644)
					if ch.Path == "run.md" {
						mode = 0o755
					}
					if err := os.WriteFile(at, ch.New, mode); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := b.tree.Commit(t.Context(), r, c); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
				b.is("what differs", b.git("status", "--porcelain"), "")
				b.is("the tree of HEAD", b.git("rev-parse", "HEAD^{tree}"), b.git("write-tree"))
				for p, text := range step {
					if text != "" {
						want := strings.TrimRight(text, "\n")
						if name == "line endings" {
							want = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "")
						}
						if got := b.git0(b.tree.Dir, "cat-file", "blob", "HEAD:./"+p); !strings.Contains(text, "!/bin") {
							b.is(p, got, want)
						}
					}
				}
			}
			b.is("what fsck finds", b.git("fsck", "--strict", "--no-dangling", "--no-progress"), "")
			if mode, _, _ := strings.Cut(b.git("ls-tree", "-r", "HEAD", filepath.Join(b.tree.Dir, "run.md")), " "); mode != "100755" {
				t.Errorf("a file that may be run has the mode %s", mode)
			}
		})
	}
}

// Starting git costs more than what it does: a commit of several files starts few processes.
func TestCommitStartsFewProcesses(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	b.tree.Program = filepath.Join(t.TempDir(), "git")
	fsystest.WriteProgram(t, b.tree.Program, "#!/bin/sh\necho \"$*\" >> "+log+"\nexec "+real+" \"$@\"\n")
	b.mustPut("a.md", "a2\n", "index.md", "i\n", "index-2.md", "i2\n", "in/new.md", "n\n")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	const most = 9
	if n := strings.Count(string(text), "\n"); n == 0 || n > most {
		t.Errorf("%d processes, at most %d are wanted:\n%s", n, most, text)
	}
}
