package vault_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
)

var markdown = vault.Rules{Extensions: []string{".md", ".markdown", ".org"}, MaxBytes: 100}

var someDay = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

func newMem() *fsys.Mem { return fsys.NewMem(func() time.Time { return someDay }) }

func memPut(t *testing.T, mem *fsys.Mem, name, data string) {
	t.Helper()
	if err := fsys.WriteAtomic(t.Context(), mem, name, []byte(data), fsys.Any(), fsys.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func filePaths(list *vault.Listing) []string {
	var all []string
	for _, f := range list.Files {
		all = append(all, f.Path)
	}
	return all
}

func skips(list *vault.Listing) []string {
	var all []string
	for _, s := range list.Skipped {
		all = append(all, s.Path+": "+string(s.Reason))
	}
	return all
}

func wantLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant:\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	mem := newMem()
	for _, name := range []string{
		"a.md", "B.MD", "c.markdown", "d.org", "e.txt", "md", ".md", "noext", "image.png",
		"1*.md", "all tomorrow's parties.md", "é.md", "new\nline.md",
		"dir/a.md", "dir/sub/a.md", "dir-b/a.md", "dir.md/inner.md", "build/a.md", "node_modules/a.md",
		".hidden.md", "dir/....md", "._a.md", ".private.md", ".hidden.txt", ".git/a.md", "git~1/a.md", "dir/GIT~1/sub/a.md", "git~1.md", "git~2/a.md", ".obsidian/a.md", "dir/.trash/a.md", ".raw/a.md",
		"ignored.md", "private/a.md", "private/keep.md", "dir/.cairn-tmp-00ff", ".cairn-tmp-1122", "dir/.cairn-tmp-x/a.md",
	} {
		memPut(t, mem, name, "text")
	}
	memPut(t, mem, ".gitignore", "ignored.md\nprivate\n.private.md\n")
	memPut(t, mem, "big.md", strings.Repeat("x", 101))
	memPut(t, mem, "edge.md", strings.Repeat("x", 100))
	memPut(t, mem, "empty.md", "")
	memPut(t, mem, "closed/a.md", "")
	memPut(t, mem, "closed/sub/b.md", "")
	err := errors.Join(
		mem.Special("pipe.md", fs.ModeNamedPipe|0o600, ""),
		mem.Special("socket", fs.ModeSocket|0o600, ""),
		mem.Symlink("a.md", "in.md"),
		mem.Symlink("dir", "indir"),
		mem.Symlink("../dir", "dir/up"),
		mem.Symlink("image.png", "picture"),
		mem.Symlink("../x.md", "out.md"),
		mem.Symlink("/etc", "outdir"),
		mem.Symlink("/etc/x.png", "out.png"),
		mem.Symlink("none.md", "dangling.md"),
		mem.Symlink("loop.md", "loop.md"),
		mem.Symlink("a.md", ".hidden-link.md"),
		mem.Symlink("/etc", "private-link"),
		mem.SetPerm("closed", 0),
	)
	if err != nil {
		t.Fatal(err)
	}
	list, err := vault.Scan(t.Context(), mem, markdown)
	if err != nil {
		t.Fatal(err)
	}
	wantLines(t, "files", filePaths(list), []string{
		"1*.md", "B.MD", "a.md", "all tomorrow's parties.md", "build/a.md", "c.markdown", "d.org", "dir-b/a.md",
		"dir.md/inner.md", "dir/a.md", "dir/sub/a.md", "edge.md", "empty.md", "git~1.md", "git~2/a.md", "new\nline.md", "node_modules/a.md", "é.md",
	})
	wantLines(t, "skipped", skips(list), []string{
		".hidden.md: hidden", ".md: hidden", "big.md: too_large", "closed: unreadable", "dangling.md: link_inside", "dir.md: directory", "dir/....md: hidden", "dir/GIT~1: git_name", "dir/up: link_inside", "git~1: git_name", "in.md: link_inside",
		"indir: link_inside", "loop.md: link_inside", "out.md: link_outside", "outdir: link_outside", "pipe.md: special", "private-link: link_outside",
	})
	wantLines(t, "temps", list.Temps, []string{".cairn-tmp-1122", "dir/.cairn-tmp-00ff"})
	if f := list.Files[2]; f.Size != 4 || f.ModTime != someDay.UnixNano() {
		t.Errorf("file %+v", f)
	}
	for name, want := range map[string]bool{"a.md": true, "gone.md": true, "closed.md": true, "closed/a.md": false, "closed/sub/b.md": false, "closed": false} {
		if list.Covers(name) != want {
			t.Errorf("covers %s: %v", name, !want)
		}
	}
	for _, s := range list.Skipped {
		if (s.Err != nil) != (s.Reason == vault.Unreadable) {
			t.Errorf("%+v", s)
		}
		if words := s.Reason.String(); !strings.Contains(words, " ") {
			t.Errorf("%s is described as %q", s.Reason, words)
		}
	}
}

func TestScanFailures(t *testing.T) {
	t.Parallel()
	mem := newMem()
	for _, name := range []string{"a.md", "d/b.md", "d/e/c.md", "d/.gitignore", ".git/info/exclude"} {
		memPut(t, mem, name, "# x\nzzz\n")
	}
	whole, err := vault.Scan(t.Context(), mem, markdown)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		fault := fsys.NewFault(mem)
		fault.FailAt(n, fs.ErrPermission)
		list, err := vault.Scan(t.Context(), fault, markdown)
		if len(fault.Calls()) < n {
			if n < 8 {
				t.Errorf("only %d calls were tried", n)
			}
			break
		}
		call := fault.Calls()[n-1]
		if n == 1 {
			if !errors.Is(err, fs.ErrPermission) {
				t.Errorf("the root cannot be listed: %v", err)
			}
			continue
		}
		if err != nil || len(list.Skipped) != 1 || list.Skipped[0].Path != call.Name || !errors.Is(list.Skipped[0].Err, fs.ErrPermission) {
			t.Errorf("%v: %+v, %v", call, list, err)
			continue
		}
		// Whatever fails, a note that is missing from the list is one that
		// the list does not claim to know about.
		for _, f := range whole.Files {
			if !slices.Contains(list.Files, f) && list.Covers(f.Path) {
				t.Errorf("%v: %s is taken for deleted", call, f.Path)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := vault.Scan(ctx, mem, markdown); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Things that vanish while the scan runs are not there, and no complaint.
func TestScanVanishing(t *testing.T) {
	t.Parallel()
	mem := newMem()
	memPut(t, mem, "a.md", "")
	memPut(t, mem, "d/b.md", "")
	fault := fsys.NewFault(mem)
	fault.FailIf(func(c fsys.Call) bool { return c.Name == "d" }, fs.ErrNotExist)
	list, err := vault.Scan(t.Context(), fault, markdown)
	if err != nil || len(list.Files) != 1 || len(list.Skipped) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// A scan lists what git would track, in a repository with ignore files at
// several levels.
func TestScanAsGitLsFiles(t *testing.T) {
	t.Parallel()
	dir, git := gitDir(t)
	put(t, dir, ".gitignore", "*.log.md\nbuild/\n/top.md\n**/cache/\ndocs/*/draft*\n!docs/x/draft-keep.md\n")
	put(t, dir, "docs/.gitignore", "!build/\nsecret.md\n")
	put(t, dir, "docs/x/.gitignore", "/*\n!/keep\n!draft-keep.md\n")
	put(t, dir, ".git/info/exclude", "excluded.md\n!top.md\n")
	for _, d := range []string{"", "build/", "docs/", "docs/build/", "docs/x/", "docs/x/keep/", "docs/y/", "docs/y/cache/", "src/build/deep/", "docs/é ü/", "cache.md/"} {
		for _, f := range []string{"a.md", "b.log.md", "top.md", "draft1.md", "draft-keep.md", "secret.md", "excluded.md", "é.md", "x.txt", "s p.org"} {
			put(t, dir, d+f, "text")
		}
	}
	git("", "add", "docs/a.md", "a.md")
	list, err := vault.Scan(t.Context(), openDir(t, dir), markdown)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for name := range strings.SplitSeq(git("", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		if markdown.IsNote(name) && !vault.Hidden(name) {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	if len(want) < 30 {
		t.Fatalf("git lists only %d notes", len(want))
	}
	wantLines(t, "files", filePaths(list), want)
}

func TestHidden(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{".a": true, "a/.b/c": true, "a/.b": true, "a.b": false, "a/b.": false, "a": false,
		"git~1/a.md": true, "a/GIT~1/b.md": true, "git~1.md": false, "git~10/a.md": false, "agit~1/a.md": false} {
		if vault.Hidden(name) != want {
			t.Errorf("%q", name)
		}
	}
}

// A scan looks once at each directory and at nothing in it, so that a large
// one costs one call. (The clock is not a judge: this counts.)
func TestScanCalls(t *testing.T) {
	t.Parallel()
	mem := newMem()
	for d := range 5 {
		for f := range 200 {
			memPut(t, mem, fmt.Sprintf("d%d/%d.md", d, f), "x")
		}
	}
	fault := fsys.NewFault(mem)
	list, err := vault.Scan(t.Context(), fault, markdown)
	if err != nil || len(list.Files) != 1000 {
		t.Fatalf("%d files, %v", len(list.Files), err)
	}
	// Six directories and the look for .git/info/exclude.
	if calls := fault.Calls(); len(calls) != 7 {
		t.Errorf("%d calls: %v", len(calls), calls[:min(len(calls), 20)])
	}
}

func BenchmarkScan(b *testing.B) {
	mem := fsys.NewMem(func() time.Time { return someDay })
	for d := range 10 {
		dir := fmt.Sprintf("d%d", d)
		if err := mem.Mkdir(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for f := range 1000 {
			w, err := mem.Create(path.Join(dir, fmt.Sprintf("%d.md", f)), 0o644)
			if err == nil {
				err = w.Close()
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		if _, err := vault.Scan(b.Context(), mem, markdown); err != nil {
			b.Fatal(err)
		}
	}
}

// A listing below a directory has of it what one of the root has, by the same ignore files.
func TestScanBelow(t *testing.T) {
	t.Parallel()
	mem := newMem()
	for name, text := range map[string]string{
		"a.md": "a", ".gitignore": "out/\n/d/e/x.md\n", "d/b.md": "b", "d/.gitignore": "*.tmp.md\n", "d/c.tmp.md": "c",
		"d/e/x.md": "x", "d/e/y.md": "y", "d/e/z.tmp.md": "z", "d/e/f/g.md": "g", "out/a.md": "a", "d/.h/a.md": "a", "dd/a.md": "a",
	} {
		memPut(t, mem, name, text)
	}
	if err := mem.Symlink("d", "link"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		below               string
		depth               int
		files, dirs, deeper string
	}{
		{"", 0, "a.md d/b.md d/e/f/g.md d/e/y.md dd/a.md", ". d d/e d/e/f dd", ""},
		{"", 1, "a.md", ".", "d dd"},
		{".", 2, "a.md d/b.md dd/a.md", ". d dd", "d/e"},
		{"d", 0, "d/b.md d/e/f/g.md d/e/y.md", "d d/e d/e/f", ""},
		{"d/e", 1, "d/e/y.md", "d/e", "d/e/f"},
		{"a.md", 0, "", "", ""}, {"none", 0, "", "", ""}, {"out", 0, "", "", ""}, {"d/.h", 0, "", "", ""},
		{"link", 0, "", "", ""}, {"../d", 0, "", "", ""}, {"/d", 0, "", "", ""},
	} {
		rules := markdown
		rules.Below, rules.Depth = c.below, c.depth
		list, err := vault.Scan(t.Context(), mem, rules)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%q, %d levels: ", c.below, c.depth)
		wantLines(t, name+"files", filePaths(list), strings.Fields(c.files))
		wantLines(t, name+"dirs", list.Dirs, strings.Fields(c.dirs))
		wantLines(t, name+"deeper", list.Deeper, strings.Fields(c.deeper))
	}
}
