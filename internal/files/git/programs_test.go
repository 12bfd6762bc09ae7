package git_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/kb"
)

// trap names a program in every setting and hook of the repository. Each program leaves a
// file in the directory that trap returns.
func (b *bed) trap() (ran string) {
	b.t.Helper()
	if runtime.GOOS == "windows" {
		b.t.Skip("the programs are shell scripts")
	}
	ran = b.t.TempDir()
	bin := b.t.TempDir()
	program := func(name string) string {
		at := filepath.Join(bin, name)
		fsystest.WriteProgram(b.t, at, "#!/bin/sh\ntouch '"+filepath.Join(ran, name)+"'\ncat\n")
		return at
	}
	for _, hook := range []string{
		"pre-commit", "post-commit", "prepare-commit-msg", "commit-msg", "post-checkout", "post-merge", "pre-push", "reference-transaction", "post-index-change",
		"post-rewrite", "pre-auto-gc", "fsmonitor-watchman",
	} {
		b.hook(hook, "touch '"+filepath.Join(ran, hook)+"'\n")
	}
	b.write(".gitattributes", "*.md filter=evil diff=evil merge=evil\n*.org filter=a=b\n")
	b.write("c.org", "c\n")
	b.git("-c", "core.hooksPath=/dev/null", "add", "-A")
	b.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "more")
	far := filepath.Join(b.t.TempDir(), "far.git")
	b.git0(b.top, "clone", "-q", "--bare", ".", far)
	b.git("-c", "core.hooksPath=/dev/null", "remote", "add", "origin", far)
	b.git("-c", "core.hooksPath=/dev/null", "fetch", "-q", "origin")
	b.git("branch", "-q", "-u", "origin/main")
	for key, name := range map[string]string{
		"core.fsmonitor": "fsmonitor", "core.sshCommand": "ssh", "gpg.program": "gpg", "filter.evil.clean": "clean", "filter.evil.smudge": "smudge", "filter.evil.process": "process",
		"filter.a=b.clean": "odd", "diff.evil.textconv": "textconv", "diff.evil.command": "diff", "diff.external": "external", "merge.evil.driver": "merge", "core.pager": "pager",
		"core.editor": "editor", "remote.origin.uploadpack": "uploadpack", "remote." + far + ".uploadpack": "uploadpack-of-address", "remote.origin.receivepack": "receivepack",
		"core.alternateRefsCommand": "alternate", "core.askPass": "askpass", "core.gitProxy": "proxy",
	} {
		b.git("config", key, program(name))
	}
	for key, value := range map[string]string{
		"credential.helper": "!" + program("credential"), "commit.gpgsign": "true", "log.showSignature": "true", "status.submoduleSummary": "true",
		"filter.evil.required": "true", "alias.status": "!" + program("alias"), "remote.origin.promisor": "true", "extensions.partialClone": "origin",
	} {
		b.git("config", key, value)
	}
	b.git("config", "core.repositoryFormatVersion", "1")
	// A version that is missing is what a partial clone fetches.
	gone := b.git("rev-parse", "HEAD:b.md")
	_ = os.Remove(filepath.Join(b.top, ".git", "objects", gone[:2], gone[2:]))
	for _, name := range []string{"a.md", "b.md", "c.org"} {
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(filepath.Join(b.top, name), later, later); err != nil {
			b.t.Fatal(err)
		}
	}
	b.ran(ran)
	return ran
}

// ran lists the programs that ran since the last call.
func (b *bed) ran(dir string) (names []string) {
	b.t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range found {
		names = append(names, e.Name())
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			b.t.Fatal(err)
		}
	}
	return names
}

// Reading a repository runs no program that it names.
func TestLooksRunNoProgramOfTheRepository(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ran := b.trap()
	ctx := t.Context()
	r := b.open()
	head := b.git("rev-parse", "HEAD")
	b.ran(ran)
	for what, look := range map[string]func() error{
		"version":   func() error { _, err := b.tree.Version(ctx); return err },
		"open":      func() error { _, err := b.tree.Open(ctx); return err },
		"state":     func() error { _, err := b.tree.State(ctx, r, nil); return err },
		"paths":     func() error { _, err := b.tree.State(ctx, r, []string{"a.md", "c.org"}); return err },
		"branch":    func() error { _, err := b.tree.Branch(ctx, r); return err },
		"check":     func() error { _, err := b.tree.Check(ctx, r, []string{"a.md", "c.org", "new.md"}); return err },
		"log":       func() error { _, err := b.tree.Log(ctx, r, []string{"a.md"}, 10); return err },
		"head":      func() error { _, err := b.tree.Head(ctx, r); return err },
		"find":      func() error { _, err := b.tree.Find(ctx, "", head, "x"); return err },
		"since":     func() error { _, err := b.tree.Since(ctx, head); return err },
		"upstream":  func() error { _, err := b.tree.Upstream(ctx); return err },
		"rewritten": func() error { _, err := b.tree.Rewritten(ctx, head, head); return err },
		"differences": func() error {
			_, err := b.tree.Differences(ctx, head+"~1", head)
			return err
		},
		"versions": func() error {
			_, _, err := b.tree.Versions(ctx, r, 1<<20, func(git.Version, []byte) error { return nil })
			return err
		},
		"addresses": func() error { _, err := b.tree.Addresses(ctx, "main"); return err },
		"ask": func() error {
			all, err := b.tree.Addresses(ctx, "main")
			if err == nil {
				err = b.tree.Ask(ctx, all[0])
			}
			return err
		},
		"stranger": func() error { _, err := b.tree.AskAsStranger(ctx, "https://127.0.0.1:1/x.git"); return err },
		"programs": func() error { _, err := b.tree.Programs(ctx, r); return err },
	} {
		err := look()
		if names := b.ran(ran); len(names) > 0 {
			t.Errorf("%s ran %q", what, names)
		}
		if err != nil && what != "versions" && what != "since" { // a version is missing
			t.Errorf("%s: %v", what, err)
		}
	}
	s, err := b.tree.State(ctx, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Changed) > 0 {
		t.Errorf("changed %q: a file that is as it was committed is no change", s.Changed)
	}
}

// Writes, fetches and pushes need the consent of a person.
func TestProgramsNeedConsent(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ctx := t.Context()
	if p, err := b.tree.Programs(ctx, b.open()); err != nil || p.Hash != "" || len(p.All) > 0 {
		t.Errorf("without programs: %+v, %v", p, err)
	}
	b.consent("")
	b.mustPut("a.md", "without programs\n")
	far := filepath.Join(t.TempDir(), "far.git")
	b.git0(b.top, "clone", "-q", "--bare", ".", far)
	b.git("remote", "add", "origin", far)
	b.git("fetch", "-q", "origin")
	b.git("branch", "-q", "-u", "origin/main")
	b.mustPut("a.md", "with a remote, which is not asked\n")
	refused := func(what string, err error) {
		t.Helper()
		if e := kb.AsError(err); err == nil || e.Code != kb.Refused || e.Reason != kb.GitPrograms {
			t.Errorf("%s: %v", what, err)
		}
	}
	accept := func() string {
		t.Helper()
		p, err := (&git.Tree{Dir: b.top}).Programs(ctx, b.open())
		if err != nil || p.Hash == "" {
			t.Fatalf("%+v, %v", p, err)
		}
		b.consent(p.Hash)
		return p.Hash
	}
	refused("push to an address", b.tree.Push(ctx, "main"))
	refused("fetch from an address", b.tree.Fetch(ctx, "main", false))
	first := accept()
	if err := errors.Join(b.tree.Push(ctx, "main"), b.tree.Fetch(ctx, "main", false)); err != nil {
		t.Error(err)
	}
	b.git("config", "user.name", "Ada King")
	b.git("config", "branch.x.description", "y")
	if again := accept(); again != first {
		t.Error("what acts has another hash after settings that run nothing")
	}
	if runtime.GOOS == "windows" {
		return
	}
	seen := map[string]bool{first: true}
	changes := map[string]func(){
		"a hook":          func() { b.hook("pre-commit", "exit 0\n") },
		"another hook":    func() { b.hook("pre-commit", "exit 0 # other\n") },
		"a filter":        func() { b.git("config", "filter.x.clean", "cat") },
		"its attribute":   func() { b.git("config", "filter.x.clean", "cat"); b.write(".gitattributes", "*.org filter=x\n") },
		"an address":      func() { b.git("config", "remote.origin.pushurl", far) },
		"a helper":        func() { b.git("config", "credential.helper", "!true") },
		"an unknown kind": func() { b.git("config", "future.thing", "true") },
		"a former remote": func() {
			b.write(".git/remotes/elder", "URL: "+far+"\n")
			b.git("config", "branch.main.remote", "elder")
		},
		"a former branch": func() { b.write(".git/branches/elder", far+"\n"); b.git("config", "branch.main.remote", "elder") },
		"a place":         func() { b.git("config", "branch.main.remote", "https://example.org/x") },
	}
	for _, what := range slices.Sorted(maps.Keys(changes)) { // the filter before its attribute, which sets it, too
		changes[what]()
		_, err := b.put("a.md", what+"\n")
		if slices.Contains([]string{"an address", "a former remote", "a former branch", "a place"}, what) {
			err = b.tree.Push(ctx, "main")
		}
		if !strings.Contains(what, "attribute") || err != nil {
			refused(what, err)
		}
		b.git("config", "--unset-all", "branch.main.remote")
		b.git("config", "branch.main.remote", "origin")
		if now := accept(); !seen[now] {
			seen[now] = true
		}
		b.mustPut("a.md", what+", accepted\n")
	}
	if len(seen) < 9 {
		t.Errorf("%d hashes of 11 states", len(seen))
	}
}

// A filtered file that is unchanged since its commit is recognised by its hash.
func TestFilteredFilesAreComparedWithoutTheFilter(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	if runtime.GOOS == "windows" {
		t.Skip("the filter is a program of Unix")
	}
	b.git("config", "filter.turn.clean", "tr a-z b-za")
	b.git("config", "filter.turn.smudge", "tr b-za a-z")
	b.write(".gitattributes", "*.md filter=turn\n")
	b.git("add", "--renormalize", ".")
	b.git("add", "-A")
	b.git("commit", "-qm", "turned")
	b.mustPut("a.md", "hello\n")
	b.is("what is committed", b.git("cat-file", "blob", "HEAD:a.md"), "ifmmp")
	changed := func() []string {
		t.Helper()
		s, err := b.tree.State(t.Context(), b.open(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.Changed
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(b.top, "a.md"), later, later); err != nil {
		t.Fatal(err)
	}
	if got := changed(); slices.Contains(got, "a.md") {
		t.Errorf("changed %q after a commit", got)
	}
	b.write("a.md", "other\n")
	if got := changed(); !slices.Contains(got, "a.md") {
		t.Errorf("changed %q after an edit", got)
	}
}

// A bare repository among the files of another one is not opened, nor is a .git that is
// neither a directory nor a file.
func TestNoRepositoryOfAStranger(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	inner := filepath.Join(b.top, "notes")
	b.git0(b.top, "init", "-q", "--bare", "notes")
	b.git0(inner, "config", "core.bare", "false")
	b.git0(inner, "config", "core.worktree", ".")
	b.git0(inner, "config", "filter.evil.clean", "touch "+filepath.Join(b.top, "ran")+"; cat")
	b.write("notes/a.md", "a\n")
	for _, dir := range []string{inner, filepath.Join(inner, "objects")} {
		if _, err := (&git.Tree{Dir: dir}).Open(t.Context()); !errors.Is(err, git.ErrNoRepository) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	for name, make := range strange() {
		dir := t.TempDir()
		if err := make(filepath.Join(dir, ".git")); err != nil {
			t.Fatal(err)
		}
		if _, err := (&git.Tree{Dir: dir}).Open(t.Context()); !errors.Is(err, git.ErrNoRepository) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A FIFO or a device in a repository is not opened, and neither is the repository: git would
// wait for it.
func TestRepositoryWithStrangeFiles(t *testing.T) {
	t.Parallel()
	for name, make := range strange() {
		if name == "a link that is broken" {
			continue // nothing waits for it
		}
		for _, file := range []string{".git/config", ".git/HEAD", ".git/commondir", ".git/index", ".git/refs/heads/main", ".git/objects/info/alternates", ".gitattributes"} {
			b := newBed(t)
			at := filepath.Join(b.top, filepath.FromSlash(file))
			if err := os.RemoveAll(at); err != nil {
				t.Fatal(err)
			}
			if err := make(at); err != nil {
				t.Fatal(err)
			}
			if _, err := (&git.Tree{Dir: b.top}).Open(t.Context()); !errors.Is(err, git.ErrNoRepository) {
				t.Errorf("%s as %s: %v", file, name, err)
			}
			if branch, _ := git.Unborn(b.top); branch != "" {
				t.Errorf("%s as %s: unborn %s", file, name, branch)
			}
		}
	}
}

// Author and committer come from the variables of git.
func TestIdentityOfTheEnvironment(t *testing.T) {
	// Serial: it sets environment variables.
	b := newBed(t)
	b.git("config", "--unset", "user.name")
	b.git("config", "--unset", "user.email")
	for name, value := range map[string]string{
		"GIT_AUTHOR_NAME": "Grace", "GIT_AUTHOR_EMAIL": "grace@example.org", "GIT_COMMITTER_NAME": "Joan", "GIT_COMMITTER_EMAIL": "joan@example.org",
		"GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_DIR": filepath.Join(b.top, "elsewhere"),
	} {
		t.Setenv(name, value)
	}
	if _, err := b.put("a.md", "one\n"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_DIR", filepath.Join(b.top, ".git"))
	b.is("who", b.git("log", "-1", "--format=%an <%ae> %cn <%ce>"), "Grace <grace@example.org> Joan <joan@example.org>")
	if when := b.git("log", "-1", "--format=%ad"); strings.Contains(when, "2001") {
		t.Errorf("the date is that of another commit, %s", when)
	}
}

// consent makes a person's acceptance that of this hash.
func (b *bed) consent(hash string) {
	b.tree.Consent = &git.Consent{Accepted: func(context.Context) ([]string, error) { return []string{hash}, nil }}
}

// The names of settings hold no credential either.
func TestProgramsAreShownWithoutCredentials(t *testing.T) {
	t.Parallel()
	p := &git.Programs{All: []git.Program{
		{Kind: git.Setting, Name: "url.https://token@example.org/.insteadof"}, {Kind: git.Setting, Name: "http.https://ada:secret@example.org/.extraheader", Value: "secret"},
		{Kind: git.Remote, Name: "remote.origin.url", Value: "https://example.org/kb?private_token=secret"}, {Kind: git.Hook, Name: "pre-commit"},
	}}
	if got, want := p.String(), "url.https://example.org/.insteadof, http.https://example.org/.extraheader, remote.origin.url https://example.org/kb, hook pre-commit"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p.All = []git.Program{
		{Kind: git.Setting, Name: "remotes/elder", Value: "URL: https://ada:secret@example.org/kb\nPull: main\n"},
		{Kind: git.Setting, Name: "branches/old", Value: "ada:secret@example.org:kb#main\n"},
	}
	if got, want := p.String(), "remotes/elder URL: https://example.org/kb Pull: main, branches/old example.org:kb#main"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What git says of an address holds no credential, also where git took it for a path.
func TestErrorsAreShownWithoutCredentials(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, address := range []string{
		"u:hunter2secret@127.0.0.1:x.git", "u:an@hunter2secret@127.0.0.1:x.git", "ada:hunter2secret@./x.git", "file://ada:hunter2secret@/nowhere",
		"http:///ada:hunter2secret@127.0.0.1:1/x.git",
		"http://127.0.0.1:1/x/h7unter2secret9Xb4mQ1v8/kb.git",
	} {
		err := b.tree.Ask(t.Context(), address)
		if err == nil || strings.Contains(err.Error(), "unter2secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
