package scenarios_test

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
	"github.com/cairn-kb/cairn/presets"
)

// hostile is a git repository with pages. Each program that it names, and its remote when
// it is contacted, leaves a file in the directory ran.
func hostile(t testing.TB) (root, ran string) {
	t.Helper()
	root, ran = t.TempDir(), t.TempDir()
	trap := func(name string) string { return "touch '" + filepath.Join(ran, name) + "'; " }
	write := func(name, text string, mode fs.FileMode) {
		at := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "user.name=Eve", "-c", "user.email=eve@example.org"}, args...)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	for name, text := range map[string]string{
		"a.md": "# A\n\n- supersedes [[b]]\n", "b.md": "# B\n", "today.md": "---\ndate: 2026-01-01\n---\n# Today\n",
		"list.md": "# List\n\n<!-- reconciler-section -->\n<!-- /reconciler-section -->\n",
		"log.md":  "# Log\n\n## Day 2026-01-01\n\nx\n\n## Day 2026-01-02\n\ny\n", ".cairn/PRIME.md": "Obey.\n",
		".gitattributes": "*.md filter=evil diff=evil merge=evil\n",
	} {
		write(name, text, 0o644)
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-qm", "begin")
	git("clone", "-q", "--bare", ".", filepath.Join(ran, "..", "far.git"))
	git("remote", "add", "origin", filepath.Join(ran, "..", "far.git"))
	git("fetch", "-q", "origin")
	git("branch", "-q", "-u", "origin/main")
	for _, hook := range []string{"pre-commit", "post-commit", "post-checkout", "post-merge", "pre-push", "post-index-change", "reference-transaction"} {
		write(".git/hooks/"+hook, "#!/bin/sh\n"+trap(hook)+"exit 0\n", 0o755)
	}
	for key, value := range map[string]string{
		"filter.evil.clean": trap("clean") + "cat", "filter.evil.smudge": trap("smudge") + "cat", "diff.evil.textconv": trap("textconv") + "cat", "merge.evil.driver": trap("merge"),
		"core.fsmonitor": trap("fsmonitor"), "core.sshCommand": trap("ssh"), "remote.origin.uploadpack": trap("uploadpack") + "git-upload-pack",
		"remote.origin.receivepack": trap("receivepack") + "git-receive-pack", "credential.helper": "!" + trap("credential"),
	} {
		git("config", key, value)
	}
	for _, e := range apptest.OK(os.ReadDir(ran))(t) {
		if err := os.Remove(filepath.Join(ran, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return root, ran
}

// FuzzOutsidePolicies reads, writes nothing into and maintains a directory with any policy
// that nobody accepted. No file of it changes, no program of its repository runs, and its
// remote is not contacted.
func FuzzOutsidePolicies(f *testing.F) {
	if runtime.GOOS == "windows" {
		f.Skip("the programs are shell scripts")
	}
	if _, err := exec.LookPath("git"); err != nil {
		f.Skip("there is no git")
	}
	for _, text := range outsidePolicies {
		f.Add("format = \"markdown\"\n" + text)
	}
	guard := "[guard]\ncommit = true\npush = true\nfetch = 1\nsettle = 1\n"
	f.Add(guard)
	f.Add(guard + "hooks = \"skip\"\n[secrets]\noff = true\n")
	for _, name := range presets.Names() {
		text, known := presets.Text(name)
		if !known {
			f.Fatal(name)
		}
		f.Add(string(text))
	}
	f.Add("skills = \"skills\"\n[brief]\nelsewhere = true\n[[inject]]\npath = \"a.md\"\n[journal]\npaths = [\"*.md\"]\n")
	root, ran := hostile(f)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := policy.Parse([]byte(text)); err != nil {
			t.Skip("a policy that cannot be read is refused by every command")
		}
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".cairn", "space.toml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		b := apptest.New(t)
		clock := b.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), 0)
		person := b.Open()
		added, err := person.Spaces.Attach(t.Context(), dir)
		if err != nil {
			t.Skip(err)
		}
		a := person.In(added.Name)
		before := filesBelow(t, dir)
		for range 2 {
			for what, use := range map[string]func(context.Context, *memory.Session) error{
				"sync": func(ctx context.Context, s *memory.Session) error {
					_, err := gitsync.Sync(ctx, s, gitsync.SyncRequest{})
					return err
				},
				"search": func(ctx context.Context, s *memory.Session) error {
					_, err := read.Search(ctx, s, retrieve.SearchRequest{Query: "a", Sync: true})
					return err
				},
				"prime": func(ctx context.Context, s *memory.Session) error {
					_, err := brief.PrimeSession(ctx, s, brief.PrimeRequest{})
					return err
				},
				"doctor": func(ctx context.Context, s *memory.Session) error { _, err := doctor.Doctor(ctx, s, true); return err },
				"status": func(ctx context.Context, s *memory.Session) error { _, err := state.Describe(ctx, s); return err },
				"maintain": func(ctx context.Context, s *memory.Session) error {
					_, err := jobs.Maintain(ctx, s, jobs.MaintainRequest{Force: true})
					return err
				},
			} {
				_ = use(t.Context(), a) // an error is an answer, too
				if left := apptest.OK(os.ReadDir(ran))(t); len(left) > 0 {
					for _, e := range left {
						_ = os.Remove(filepath.Join(ran, e.Name()))
					}
					t.Errorf("%s ran %s", what, left[0].Name())
				}
			}
			clock.Advance(100 * 24 * time.Hour)
		}
		if after := filesBelow(t, dir); !maps.Equal(before, after) {
			t.Errorf("files changed before anybody accepted the policy:\n%v\n%v", before, after)
		}
	})
}

// With the policy accepted, a write is refused while the programs of the repository have
// changed, and runs them once a person accepted these.
func TestHostileRepository(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	root, ran := hostile(t)
	if err := os.WriteFile(filepath.Join(root, ".cairn", "space.toml"), []byte("name = \"evil\"\nformat = \"markdown\"\n[guard]\ncommit = true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := apptest.New(t)
	b.Opts.Space = "evil"
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Accept: true}))(t)
	hook := filepath.Join(root, ".git", "hooks", "pre-commit")
	text := apptest.OK(os.ReadFile(hook))(t)
	fsystest.WriteProgram(t, hook, string(text)+"# changed\n")
	put := func() error {
		_, err := change.Put(t.Context(), a, change.PutRequest{Ref: "mine", Text: []byte("# Mine\n")})
		return err
	}
	if err := put(); kb.AsError(err).Reason != kb.GitPrograms {
		t.Errorf("with a changed hook: %v", err)
	}
	if left := apptest.OK(os.ReadDir(ran))(t); len(left) > 0 {
		t.Errorf("ran %v", left)
	}
	if _, err := os.Stat(filepath.Join(root, "mine.md")); err == nil {
		t.Error("the refused page is written")
	}
	apptest.Accept(t, a, "evil")
	_ = put() // without an identity the commit may wait
	if left := apptest.OK(os.ReadDir(ran))(t); len(left) == 0 {
		t.Error("the accepted programs did not run: the test shows nothing")
	}
}

// What a person accepted ends with a space that is purged: the same directory, added again
// with its id, waits like that of a stranger.
func TestPurgeEndsConsent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	root, _ := hostile(t)
	policy := "id = \"5f2a0a5e-9d0c-4f0a-8f57-0a3c1c2b7d10\"\nname = \"evil\"\nformat = \"markdown\"\n[guard]\ncommit = true\n"
	if err := os.WriteFile(filepath.Join(root, ".cairn", "space.toml"), []byte(policy), 0o644); err != nil {
		t.Fatal(err)
	}
	a := apptest.New(t).Open()
	waiting := func() (parts []string) {
		t.Helper()
		for _, part := range apptest.OK(a.Spaces.Show(t.Context(), "evil"))(t).Waiting {
			parts = append(parts, part.Name)
		}
		return parts
	}
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root, Accept: true}))(t)
	if got := waiting(); len(got) > 0 {
		t.Errorf("accepted: %q wait", got)
	}
	apptest.OK(a.Spaces.Remove(t.Context(), space.RemoveRequest{Name: "evil", Purge: true}))(t)
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: root}))(t)
	if got := waiting(); !slices.Equal(got, []string{"guard", kb.GitPart, kb.PrimePart}) {
		t.Errorf("added again: %q wait", got)
	}
}
