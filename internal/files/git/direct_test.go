package git

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// repository returns a new repository in which a script of the shell was run.
func repository(t *testing.T, script string) (*Tree, *Repo) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	top = filepath.Join(top, "repo")
	begin := "set -e; git init -q -b main " + top + "; cd " + top + "; git config user.name A; git config user.email a@example.org\n"
	if out, err := exec.Command("sh", "-c", begin+script).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tree := &Tree{Dir: top}
	r, err := tree.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tree, r
}

// What is read without git is what git says, in repositories of every kind, and is not read where
// only git can tell.
func TestReadHereIsWhatGitSays(t *testing.T) {
	t.Parallel()
	paths := []string{"a.md", "sub/b.md", "new.md", "sub/new.md", "build/x.md", "odd#.md"}
	for _, c := range []struct {
		name  string
		asked bool // git has to be asked
		setup string
	}{
		{"plain", false, ""},
		{"staged", false, "echo x > a.md && git add a.md"},
		{"staged deletion", false, "git rm -q --cached sub/b.md"},
		{"staged new file", false, "echo x > new.md && git add new.md"},
		{"intent to add", true, "echo x > new.md && git add -N new.md"},
		{"index version 4", false, "git update-index --index-version 4"},
		{"split index", true, "git update-index --split-index"},
		{"sparse checkout", true, "git sparse-checkout set sub"},
		{"packed objects", true, "git gc -q"},
		{"packed references", false, "git pack-refs --all"},
		{"branch with a slash", false, "git switch -q -c in/here && git commit -q --allow-empty -m x"},
		{"detached", true, "git switch -q --detach"},
		{"unborn", true, "git switch -q --orphan none"},
		{"merge", false, "touch .git/MERGE_HEAD"},
		{"conflict", true, "git switch -q -c other && echo o > a.md && git commit -q -am o && git switch -q main && echo m > a.md && git commit -q -am m && git merge -q other || true"},
		{"ignored", true, "echo 'new.*' > .gitignore"},
		{"ignored by a file that is only in the index", true, "echo 'new.*' > .gitignore && git add .gitignore && git commit -q -m x && git update-index --skip-worktree .gitignore && rm .gitignore"},
		{"mode of an early git", true, "git ls-tree HEAD | sed s/100644/100664/ | git mktree | xargs git commit-tree -m x -p HEAD | xargs git reset -q"},
		{"ignored below", true, "echo new.md > sub/.gitignore"},
		{"ignored directory", true, "echo /build/ > .git/info/exclude"},
		{"escaped pattern", true, `echo 'odd\#.md' > .gitignore`},
		{"class", true, "echo '[n]ew.md' > .gitignore"},
		{"ignored by the user", true, "git config core.excludesFile $PWD/rules && echo new.md > rules"},
		{"rules of others", false, `printf '*~\n\\#*\\#\n.#*\n/vendor/\n!new.md\n# new.md\nnew.txt\r\n*.sync-conflict-*\nold?.md\n' > .gitignore`},
		{"upstream at the same commit", false, "git clone -q . ../far && git remote add origin ../far && git fetch -q && git branch -q -u origin/main"},
		{"ahead", true, "git clone -q . ../far && git remote add origin ../far && git fetch -q && git branch -q -u origin/main && git commit -q --allow-empty -m x"},
		{"behind", true, "git commit -q --allow-empty -m x && git clone -q . ../far && git remote add origin ../far && git fetch -q && git branch -q -u origin/main && git reset -q --hard HEAD~1"},
		{"upstream that is gone", true, "git remote add origin ../far && git config branch.main.remote origin && git config branch.main.merge refs/heads/main"},
		{"other refspec", true, "git clone -q . ../far && git remote add origin ../far && git config remote.origin.fetch '+refs/heads/main:refs/remotes/origin/trunk' && git fetch -q && git config branch.main.remote origin && git config branch.main.merge refs/heads/main"},
		{"upstream here", true, "git branch -q other && git branch -q -u other"},
		{"other work tree", true, "git config core.worktree $PWD"},
		{"hooks elsewhere", true, "git config core.hooksPath $PWD/hooks"},
		{"extension", true, "git config extensions.worktreeConfig true"},
		{"directory in place of a file", true, "rm a.md && git rm -q --cached a.md && mkdir a.md && echo x > a.md/x && git add a.md/x && git commit -q -m x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tree, r := repository(t, "mkdir sub build && echo a > a.md && echo b > sub/b.md && git add . && git commit -q -m first\n"+c.setup)
			var here *State
			ok := r.ordinary
			if ok {
				here, ok = tree.readHere(r, paths, r.readIndexFile("index"))
			}
			if !ours(r.Top) {
				t.Skip("git is always asked here")
			}
			if ok == c.asked {
				t.Fatalf("it is read without git: %v", ok)
			}
			if !ok {
				return
			}
			asked, err := tree.State(t.Context(), r, paths)
			if err != nil {
				t.Fatal(err)
			}
			ignored, err := tree.ignored(t.Context(), paths)
			if err != nil || ignored != "" {
				t.Errorf("git ignores %s, %v", ignored, err)
			}
			slices.Sort(here.Staged)
			slices.Sort(asked.Staged)
			if here.Head != asked.Head || here.Branch != asked.Branch || here.Upstream != asked.Upstream || here.Ahead != asked.Ahead ||
				here.Behind != asked.Behind || here.Under != asked.Under || !slices.Equal(here.Staged, asked.Staged) {
				t.Errorf("read: %+v\ngit: %+v", here, asked)
			}
			w := &workshop{t: tree, r: r}
			read := r.read.take(here.Head, r.Paths(paths))
			listed, err := w.trees(t.Context(), here.Head, paths)
			if err != nil {
				t.Fatal(err)
			}
			for dir, list := range listed {
				if !slices.Equal(list, read[dir]) {
					t.Errorf("%s: read %v, git %v", dir, read[dir], list)
				}
			}
		})
	}
}

// Open without git returns what git says, also of a subdirectory and with ids of other length.
func TestOrdinaryPathsAreThoseOfGit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		top, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("git", "init", "-q", "--object-format="+format, top).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		below := filepath.Join(top, "in", "here")
		if err := os.MkdirAll(below, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{top, below} {
			tree := &Tree{Dir: dir}
			here := &Repo{}
			if err := tree.know(t.Context(), here); err != nil {
				t.Fatal(err)
			}
			if !tree.ordinary(here, top) {
				if !ours(top) {
					t.Skip("git is always asked here")
				}
				t.Fatalf("%s is not ordinary", dir)
			}
			asked, err := tree.paths(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if here.Top != asked.Top || here.Dir != asked.Dir || here.Common != asked.Common || here.Hooks != asked.Hooks || here.Prefix != asked.Prefix || here.None != asked.None {
				t.Errorf("read: %+v\ngit: %+v", here, asked)
			}
		}
	}
}

// A repository without a HEAD is none for git, which looks above it.
func TestRepositoryWithoutHeadIsNone(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(top, "in")
	if out, err := exec.Command("sh", "-c", "git init -q "+top+" && git init -q "+in+" && : > "+in+"/.git/HEAD").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if r, err := (&Tree{Dir: in}).Open(t.Context()); err != nil || r.Top != top || r.Prefix != "in/" {
		t.Errorf("%+v, %v", r, err)
	}
}

// Git is asked how a file is converted wherever a conversion can change it.
func TestVerbatim(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, setup, text string
		want              bool
	}{
		{"plain", "", "text\n", true},
		{"line ends of the system", "echo '*.md text eol=crlf' > .gitattributes", "text\n", true},
		{"carriage return", "", "text\r\n", false},
		{"keyword", "", "$Id$\n", false},
		{"encoding", "echo '*.md working-tree-encoding=UTF-16' > .gitattributes", "text\n", false},
		{"encoding below", "mkdir sub && echo '*.md working-tree-encoding=UTF-16' > sub/.gitattributes", "text\n", false},
		{"encoding for this repository", "echo '*.md working-tree-encoding=UTF-16' > .git/info/attributes", "text\n", false},
		{"attributes of the index", "echo '*.md -text' > .gitattributes && git add . && rm .gitattributes", "text\n", false},
		{"line ends that are refused", "git config core.safecrlf true", "text\n", false},
		{"attributes of the user", "git config core.attributesFile $PWD/rules && echo '*.md working-tree-encoding=UTF-16' > rules", "text\n", false},
	} {
		tree, r := repository(t, "git commit -q --allow-empty -m x\n"+c.setup)
		if !r.ordinary {
			t.Skip("git is always asked here")
		}
		if _, err := tree.Committable(t.Context(), r, []string{"sub/a.md"}); err != nil {
			t.Fatal(err)
		}
		w := &workshop{t: tree, r: r}
		if got := w.verbatim(Change{Path: "sub/a.md", New: []byte(c.text)}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// Everything that git ignores may match.
func TestMayMatch(t *testing.T) {
	t.Parallel()
	names := strings.Split("notes/[draft]/some day.md", "/")
	for _, line := range []string{"notes", "notes/", "/notes/*.md", "*", "**", "a/**", "some*", "*day.md", "some?day.md", "some\\ day.md", "s*d*y.md\r\n", "*.m[d]", "no[st]es", "*[/]*", "\\[dr*", "\\[draft]", "notes/some day.md", "some day.md  \n"} {
		if !mayMatch(line, names) {
			t.Errorf("%q does not match", line)
		}
	}
	for _, line := range []string{"\n", "# notes", "!notes", "note", "otes", "*.org", ".#*", "\\#*\\#", "day.md", "some"} {
		if mayMatch(line, names) {
			t.Errorf("%q matches", line)
		}
	}
}

// An index is revised as git does it, with its cached trees.
func TestReviseIndexAsGitDoes(t *testing.T) {
	t.Parallel()
	blob := "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
	file := func(mode string) Entry { return Entry{mode, blob} }
	for _, c := range []struct {
		name, setup string
		files       map[string]Entry // without an id: to be removed
		left        bool             // it is left to git
	}{
		{"new, changed and removed", "", map[string]Entry{"a.md": file("100644"), "new.md": file("100755"), "sub/b.md": {}, "sub/new.md": file("100644"), "z": file("100644")}, false},
		{"in a new directory", "", map[string]Entry{"more/deep/x.md": file("100644")}, false},
		{"a directory goes", "", map[string]Entry{"sub/b.md": {}, "sub/deep/c.md": {}}, false},
		{"in a cached tree of many", "git read-tree HEAD", map[string]Entry{"sub/deep/new.md": file("100644")}, false},
		{"a long name", "", map[string]Entry{strings.Repeat("long/", 900) + "x": file("100644")}, false},
		{"a file in place of a directory", "", map[string]Entry{"sub": file("100644")}, true},
		{"a directory in place of a file", "", map[string]Entry{"a.md/x": file("100644")}, true},
		{"other version", "git update-index --index-version 4", map[string]Entry{"a.md": file("100644")}, true},
		{"intent to add", "echo x > new.md && git add -N new.md", map[string]Entry{"a.md": file("100644")}, true},
		{"resolved conflict", "git switch -q -c o && echo o > a.md && git commit -q -am o && git switch -q main && echo m > a.md && git commit -q -am m && { git merge -q o || true; } && git add a.md && git commit -q -m x", map[string]Entry{"a.md": file("100644")}, true},
		{"untracked cache", "git update-index --untracked-cache", map[string]Entry{"a.md": file("100644")}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tree, r := repository(t, `git config core.untrackedCache keep
				mkdir -p sub/deep other && echo a > a.md && echo b > sub/b.md && echo c > sub/deep/c.md && echo d > other/d.md && git add . && git commit -q -m first
				git hash-object -w -t blob /dev/null >/dev/null
				`+c.setup)
			var paths []string
			made := map[string]Entry{}
			for p, e := range c.files {
				if paths = append(paths, p); e.ID != "" {
					made[p] = e
				}
			}
			got, ok := r.reviseIndex(r.readIndexFile("index"), paths, made)
			if ok == c.left {
				t.Fatalf("it is revised here: %v", ok)
			}
			if !ok {
				return
			}
			w, err := tree.workshop(r)
			if err != nil {
				t.Fatal(err)
			}
			defer w.close()
			listed := func(index string) string {
				var all []string
				for _, args := range [][]string{{"ls-files", "--stage", "--debug"}, {"write-tree"}, {"fsck", "--cache", "--no-dangling"}, {"status", "--porcelain=v2"}} {
					out, err := tree.git(t.Context(), run{args: args, index: index})
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, string(out))
				}
				return strings.Join(all, "\n")
			}
			if err := w.fill("ours", got); err != nil {
				t.Fatal(err)
			}
			if err := w.set(t.Context(), "index", paths, made); err != nil {
				t.Fatal(err)
			}
			asked := r.readIndexFile("index")
			if string(got) != string(asked) {
				t.Errorf("other bytes than git wrote:\n%q\n%q", got, asked)
			}
			if here, git := listed(w.path("ours")), listed(w.path("index")); here != git {
				t.Errorf("revised:\n%s\ngit:\n%s", here, git)
			}
		})
	}
}

// The work for an index of many files that are all written grows with them, not with their square:
// ten thousand took more than a second.
func BenchmarkReviseIndex(b *testing.B) {
	top := b.TempDir()
	files, paths, in := map[string]Entry{}, []string{}, ""
	for i := range 10_000 {
		p := fmt.Sprintf("notes/note-%d.md", i)
		paths, files[p] = append(paths, p), Entry{plainFile, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"}
		in += plainFile + " " + files[p].ID + "\t" + p + "\n"
	}
	cmd := exec.Command("sh", "-c", "git init -q "+top+" && git -C "+top+" update-index --index-info")
	cmd.Stdin = strings.NewReader(in)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	r, err := (&Tree{Dir: top}).Open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	text := r.readIndexFile("index")
	for b.Loop() {
		if _, ok := r.reviseIndex(text, paths, files); !ok {
			b.Fatal("it is left to git")
		}
	}
}

// A commit object is the one that git makes, wherever git takes the names as they are.
func TestCommitHereIsThatOfGit(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	script := "cd " + top + " && git init -q -b main && git config user.name 'Ada Lovelace' && git config user.email ada@example.org && git commit -q --allow-empty -m x"
	if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tree := &Tree{Dir: top}
	at := time.Date(2026, 3, 29, 12, 34, 56, 789, time.UTC)
	for _, c := range []struct {
		name, key, value, text string
		left                   bool
	}{
		{"plain", "", "", "capture: a\n\nCairn-Write: x\n", false},
		{"other letters", "user.name", "Žofie Müller-名", "capture: ü\n", false},
		{"another author", "author.name", "Charles", "a\n", false},
		{"another address of the committer", "committer.email", "c@example.org", "a\n", false},
		{"dot at the end", "user.name", "Ada L.", "a\n", true},
		{"blank", "user.name", " Ada", "a\n", true},
		{"angle", "user.email", "a<b", "a\n", true},
		{"line end", "user.name", "Ada\nX", "a\n", true},
		{"no name", "user.name", "", "a\n", true},
		{"encoding", "i18n.commitEncoding", "latin1", "a\n", true},
		{"signed", "commit.gpgSign", "true", "a\n", true},
		{"no line end", "", "", "a", true},
		{"other bytes", "", "", "a\xff\n", true},
	} {
		if c.key != "" {
			if out, err := exec.Command("git", "-C", top, "config", c.key, c.value).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		r, err := tree.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !r.ordinary {
			t.Skip("git is always asked here")
		}
		head, of := tree.mustLine(t, "rev-parse", "HEAD"), tree.mustLine(t, "rev-parse", "HEAD^{tree}")
		w := &workshop{t: tree, r: r}
		object, ok := w.commitHere(at, of, c.text, head)
		if ok == c.left {
			t.Errorf("%s: it is made here: %v", c.name, ok)
		}
		if ok {
			cmd := exec.Command("git", "-C", top, "commit-tree", of, "-F", "-", "-p", head)
			when := fmt.Sprint(at.Unix(), at.Local().Format(" -0700"))
			cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
			cmd.Stdin = strings.NewReader(c.text)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			if id := r.objectID("commit", object); id != strings.TrimSpace(string(out)) {
				t.Errorf("%s: another commit than that of git:\n%s", c.name, object)
			}
		}
		if c.key != "" {
			if out, err := exec.Command("git", "-C", top, "config", c.key, map[string]string{"user.name": "Ada", "user.email": "ada@example.org", "commit.gpgSign": "false"}[c.key]).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if !strings.HasPrefix(c.key, "user.") && c.key != "commit.gpgSign" {
				if out, err := exec.Command("git", "-C", top, "config", "--unset", c.key).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
		}
	}
}

// mustLine returns the line with which git answers.
func (t *Tree) mustLine(tb *testing.T, args ...string) string {
	tb.Helper()
	line, err := t.line(tb.Context(), args...)
	if err != nil {
		tb.Fatal(err)
	}
	return line
}
