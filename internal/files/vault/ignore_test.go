package vault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
)

// gitDir returns an empty repository and a function that runs git in it,
// with no configuration of whoever runs the tests.
func gitDir(t *testing.T) (dir string, git func(stdin string, args ...string) string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: ignore rules are not compared with it")
	}
	dir = t.TempDir()
	git = func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}
		cmd.Stdin = strings.NewReader(stdin)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
		}
		return string(out)
	}
	git("", "init", "-q", ".")
	return dir, git
}

func openDir(t *testing.T, path string) *fsys.Dir {
	t.Helper()
	dir, err := fsys.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func put(t *testing.T, dir, name, data string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// patterns, each tried alone against every path below.
var patterns = []string{
	"a.md", "*.md", "*", "**", "/a.md", "/*.md", "d", "d/", "/d/", "d/*", "d/**", "d/**/", "**/a.md", "**/d/a.md", "d/**/a.md",
	"d/e", "d/e/", "/d/e", "e/a.md", "*/a.md", "*/*/a.md", "?.md", "??.md", "[ab].md", "[!a].md", "[^a].md", "[a-c].md", "[]a].md",
	"[]-a].md", "[a-].md", "[!]a].md", "[[:alpha:]].md", "[[:digit:]a].md", "[[:upper:]].md", "[[:nope:]].md", "[[:alpha].md", "[[:].md", "[a", "[", "a[", "*[", "*[.md",
	`\a.md`, `\*.md`, `a\`, `\`, `\!a.md`, `\#a.md`, "!a.md", "#a.md", "a.md ", `a.md\ `, "a.md\t", " a.md", "", "/", "//", "!", "//a.md", "a.md/", "./a.md", "../a.md",
	"***", "d/***", "d**", "d**/a.md", "d/e**", "d/e**/a.md", "d/x**e/a.md", "**e/a.md", "d/**e", "a**", "**a.md", "a.**", "d/**/**/a.md", "**/**", "**/", "/**", "/**/a.md", "/**/", "*/", "*/**",
	"d/*/a.md", "d/?/a.md", "d/?", "d?e", "d[/]e", "d[!x]e", `d\/e`, `d\/a.md`, `d/**\/a.md`, `**\/a.md`, "*a*", "*a*d*", "A.md", "A*", "[A-Z].md", "[A].md", `\A.md`, "D/", "D/a.md", "?é.md", "é.md", "??.md", "???.md", "*é*", "[é].md", "*.m?", "*.m[d-f]", "x y.md", "x\\ y.md", "all tomorrow's parties.md", "1[*].md", `1\*.md`, "a.md\r",
	"[a-z", "[z-a].md", "[a-\\c].md", "[\\a].md", "[\\]].md", "[--0].md", "[+--].md", "[[.md", "[[:space:]]*", "*[[:punct:]]md", "[[:xdigit:]].md", "[[:word:]].md",
}

var paths = []string{
	"a.md", "b.md", "c.md", "A.md", "B.md", "aa.md", "1.md", "1*.md", "].md", "-.md", "[.md", "[a", "+.md", ":.md", "a", "a[", "*[", "é.md", "x y.md", " a.md", "a.md ", "a.md\t", "#a.md", "!a.md", "all tomorrow's parties.md",
	"d/a.md", "d/b.md", "d/e/a.md", "d/e/f/a.md", "d/xe/a.md", "d/x/y/e/a.md", "de/a.md", "dx/a.md", "e/a.md", "e/d/a.md", "D/a.md", "x/y/z/a.md", "d/ef/a.md", "da.md", "abc/a.md", `a\`, `\`, "a.mde",
}

// ask asks git which of the paths, that need not exist, are ignored.
func ask(git func(string, ...string) string, paths []string, fold bool) map[string]bool {
	out := git(strings.Join(paths, "\x00"), "-c", fmt.Sprint("core.ignoreCase=", fold), "check-ignore", "--no-index", "-z", "--stdin")
	ignored := map[string]bool{}
	for p := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		ignored[p] = true
	}
	return ignored
}

// compare puts the same question to git and to a Matcher. describe says which
// ignore files are behind a path.
func compare(t *testing.T, dir string, git func(string, ...string) string, paths []string, describe func(path string) string) {
	t.Helper()
	for _, fold := range []bool{false, true} {
		want := ask(git, paths, fold)
		if len(want) < len(paths)/50 || len(want) > len(paths)*49/50 {
			t.Fatalf("git ignores %d of %d paths, which proves little", len(want), len(paths))
		}
		m := vault.NewMatcher(openDir(t, dir), fold)
		for _, p := range paths {
			// Most paths do not exist, but git looks.
			info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(p)))
			rule, merr := m.Ignored(t.Context(), p, err == nil && info.IsDir())
			if merr != nil {
				t.Fatal(merr)
			}
			if want[p] != (rule != nil) {
				t.Errorf("path %q, fold %v: git says %v, we say %v\n%s", p, fold, want[p], rule, describe(p))
			}
		}
	}
}

// Each pattern has a directory of its own, so that one question to git
// answers for all of them.
func TestIgnoreAsGit(t *testing.T) {
	t.Parallel()
	dir, git := gitDir(t)
	var all []string
	for i, pattern := range patterns {
		sub := fmt.Sprintf("t%d", i)
		put(t, dir, sub+"/.gitignore", pattern+"\n")
		for _, p := range paths {
			all = append(all, sub+"/"+p)
		}
	}
	compare(t, dir, git, all, func(path string) string {
		var i int
		if _, err := fmt.Sscanf(path, "t%d/", &i); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("pattern %q", patterns[i])
	})
}

// Random ignore files at several levels, from few letters, so that they often
// match and often contradict each other.
func TestRandomIgnoreAsGit(t *testing.T) {
	t.Parallel()
	dir, git := gitDir(t)
	rng := rand.New(rand.NewPCG(20261121, 1))
	pick := func(parts ...string) string { return parts[rng.IntN(len(parts))] }
	word := func() string {
		var b strings.Builder
		for range 1 + rng.IntN(4) {
			b.WriteString(pick("a", "b", "B", "*", "?", "**", "[ab]", "[!a]", "[a-c]", `\a`, `\*`, "/", ".", "é", "[", "]", " ", "a", "b", "a/", "/b"))
		}
		return b.String()
	}
	file := func() string {
		var b strings.Builder
		for range 1 + rng.IntN(5) {
			b.WriteString(pick("", "", "", "!", "/", "**/") + word() + pick("", "", "", "/", "/*", "/**", " ") + pick("\n", "\n", "\r\n"))
		}
		return b.String()
	}
	var names func(depth int) []string
	names = func(depth int) []string {
		all := []string{"a", "b", "B", "ab", "é", "*"}
		if depth > 0 {
			for _, d := range []string{"a", "b", "ab"} {
				for _, n := range names(depth - 1) {
					all = append(all, d+"/"+n)
				}
			}
		}
		return all
	}
	var all []string
	for i := range 200 {
		sub := fmt.Sprintf("t%d/", i)
		for _, d := range []string{"", "a/", "a/b/"} {
			if d == "" || rng.IntN(2) == 0 {
				put(t, dir, sub+d+".gitignore", file())
			}
		}
		for _, n := range names(2) {
			all = append(all, sub+n)
		}
	}
	put(t, dir, ".gitignore", "/t1*/a?\n!b\n")
	put(t, dir, ".git/info/exclude", "[bB]\nb/ab/\n")
	compare(t, dir, git, all, func(path string) string {
		var b strings.Builder
		for d := path; d != "."; {
			d = filepath.Dir(d)
			if data, err := os.ReadFile(filepath.Join(dir, d, ".gitignore")); err == nil {
				fmt.Fprintf(&b, "%s: %q\n", d, data)
			}
		}
		return b.String()
	})
}

func TestIgnorePrecedence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files map[string]string
		path  string
		want  string // file:line of the rule, "" for not ignored
	}{
		{"nothing", nil, "a.md", ""},
		{"git", map[string]string{".gitignore": "# x\n\na.md\n"}, "a.md", ".gitignore:3"},
		{"cairn takes back", map[string]string{".gitignore": "a.md\n", ".cairnignore": "!a.md\n"}, "a.md", ""},
		{"cairn adds", map[string]string{".gitignore": "!a.md\n", ".cairnignore": "a.md\n"}, "a.md", ".cairnignore:1"},
		{"bm over cairn", map[string]string{".cairnignore": "a.md\n", ".bmignore": "!a.md\n"}, "a.md", ""},
		{"deeper over higher", map[string]string{".bmignore": "*.md\n", "d/.gitignore": "!a.md\n"}, "d/a.md", ""},
		{"exclude is the weakest", map[string]string{".git/info/exclude": "*.md\n", ".gitignore": "!a.md\n"}, "a.md", ""},
		{"exclude", map[string]string{".git/info/exclude": "*.md\n"}, "d/a.md", ".git/info/exclude:1"},
		{"not below an ignored directory", map[string]string{".gitignore": "d/\n!d/a.md\n", "d/.gitignore": "!a.md\n"}, "d/a.md", ".gitignore:1"},
		{"directory ignored by cairn, taken back by bm", map[string]string{".cairnignore": "d/\n", ".bmignore": "!d/\n"}, "d/a.md", ""},
		{"byte order mark", map[string]string{".gitignore": "\xef\xbb\xbfa.md\n"}, "a.md", ".gitignore:1"},
		{"no final newline", map[string]string{".gitignore": "b\na.md"}, "a.md", ".gitignore:2"},
		{"anchored in its directory", map[string]string{"d/.gitignore": "/a.md\n"}, "d/e/a.md", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			mem := newMem()
			for name, data := range test.files {
				memPut(t, mem, name, data)
			}
			rule, err := vault.NewMatcher(mem, false).Ignored(t.Context(), test.path, false)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if rule != nil {
				got = fmt.Sprintf("%s:%d", rule.File, rule.Line)
			}
			if got != test.want {
				t.Errorf("ignored by %q, want %q", got, test.want)
			}
			// A scan is of the same opinion.
			memPut(t, mem, test.path, "")
			list, err := vault.Scan(t.Context(), mem, markdown)
			if err != nil {
				t.Fatal(err)
			}
			if listed := len(list.Files) == 1; listed != (test.want == "") {
				t.Errorf("scan lists %v", list.Files)
			}
		})
	}
}

func TestMatcherDirectories(t *testing.T) {
	t.Parallel()
	mem := newMem()
	memPut(t, mem, ".gitignore", "d/\n")
	m := vault.NewMatcher(mem, false)
	for isDir, want := range map[bool]bool{false: false, true: true} {
		rule, err := m.Ignored(t.Context(), "d", isDir)
		if err != nil || (rule != nil) != want {
			t.Errorf("directory %v: %v, %v", isDir, rule, err)
		}
	}
}

func TestMatcherForget(t *testing.T) {
	t.Parallel()
	mem := newMem()
	m := vault.NewMatcher(mem, false)
	ignored := func() bool {
		t.Helper()
		rule, err := m.Ignored(t.Context(), "d/a.md", false)
		if err != nil {
			t.Fatal(err)
		}
		return rule != nil
	}
	if ignored() {
		t.Error("ignored by nothing")
	}
	memPut(t, mem, "d/.cairnignore", "*.md\n")
	if ignored() {
		t.Error("read again without being told")
	}
	m.Forget()
	if !ignored() {
		t.Error("not read again")
	}
}

func TestMatcherErrors(t *testing.T) {
	t.Parallel()
	mem := newMem()
	memPut(t, mem, "d/.gitignore", "*.md\n")
	m := vault.NewMatcher(mem, false)
	for _, path := range []string{"", "/a", "../a", "a//b", "a\x00", "a/"} {
		if _, err := m.Ignored(t.Context(), path, false); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%q: error %v", path, err)
		}
	}
	if err := mem.SetPerm("d/.gitignore", 0); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the failure is not kept
		if _, err := m.Ignored(t.Context(), "d/a.md", false); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("error %v", err)
		}
	}
	if err := mem.SetPerm("d/.gitignore", 0o600); err != nil {
		t.Fatal(err)
	}
	if rule, err := m.Ignored(t.Context(), "d/a.md", false); err != nil || rule == nil {
		t.Errorf("%v, %v", rule, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := vault.NewMatcher(mem, false).Ignored(ctx, "d/a.md", false); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Ignore files that are links are not read, as in git, nor is a .git that
// leads out of the tree.
func TestIgnoreFileLinks(t *testing.T) {
	t.Parallel()
	mem := newMem()
	memPut(t, mem, "rules", "*.md\n")
	memPut(t, mem, "a.md", "")
	if err := errors.Join(mem.Symlink("rules", ".gitignore"), mem.Symlink("../elsewhere", ".git")); err != nil {
		t.Fatal(err)
	}
	if rule, err := vault.NewMatcher(mem, false).Ignored(t.Context(), "a.md", false); rule != nil || err != nil {
		t.Errorf("%v, %v", rule, err)
	}
	list, err := vault.Scan(t.Context(), mem, markdown)
	if err != nil || len(list.Files) != 1 || len(list.Skipped) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestIsIgnoreFile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		".gitignore": true, "a/.cairnignore": true, "a/b/.bmignore": true, ".git/info/exclude": true,
		"a/.git/info/exclude": false, "gitignore": false, ".gitignore/a.md": false,
	} {
		if vault.IsIgnoreFile(name) != want {
			t.Errorf("%q", name)
		}
	}
}

// A pattern made to be slow is as fast as any other.
func TestHostilePattern(t *testing.T) {
	t.Parallel()
	mem := newMem()
	memPut(t, mem, ".gitignore", strings.Repeat("*a", 50)+"b\n"+strings.Repeat("**/a/", 50)+"b\n"+strings.Repeat("a**", 50)+"/b\n")
	deep := strings.TrimSuffix(strings.Repeat("a/", 200), "/")
	for _, path := range []string{strings.Repeat("a", 250), deep} {
		if rule, err := vault.NewMatcher(mem, false).Ignored(t.Context(), path, false); rule != nil || err != nil {
			t.Errorf("%v, %v", rule, err)
		}
	}
}

func FuzzIgnore(f *testing.F) {
	for _, pattern := range patterns {
		f.Add(pattern, "d/e/a.md", false)
	}
	f.Add("!*\n[[:alpha:]]/**\n", "a/b", true)
	f.Fuzz(func(t *testing.T, rules, path string, fold bool) {
		if vault.CheckExisting(path) != nil {
			return
		}
		mem := newMem()
		memPut(t, mem, ".gitignore", rules)
		rule, err := vault.NewMatcher(mem, fold).Ignored(t.Context(), path, false)
		if err != nil {
			t.Fatal(err)
		}
		if rule == nil {
			return
		}
		lines := strings.Split(rules, "\n")
		if rule.Line < 1 || rule.Line > len(lines) || !strings.Contains(lines[rule.Line-1], rule.Pattern) {
			t.Errorf("rule %+v is not in %q", rule, rules)
		}
		// Without regard to case, at least as much is matched by a rule
		// without classes and escapes, if no other takes it back.
		if !fold && !strings.ContainsAny(rules, `![\`) {
			rule, err := vault.NewMatcher(mem, true).Ignored(t.Context(), path, false)
			if rule == nil || err != nil {
				t.Errorf("not ignored when case does not matter: %v", err)
			}
		}
	})
}
