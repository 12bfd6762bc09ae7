//go:build unix

package gitsync_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/files/fsystest"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// A credential that was refused is in no object of git, not even in one that no commit has;
// one that another program wrote stays out, too.
func TestRefusedSecretIsInNoObject(t *testing.T) {
	// Serial: it sets environment variables.
	const secret = "AKIAQ3EGRUS5KCQ5JX4N"
	_, d := began(t)
	ctx := t.Context()
	for name, err := range map[string]error{
		"put":    d.put("leak", "The key is "+secret),
		"append": d.append("p", "aws_access_key_id = "+secret),
		"title":  d.put("leak2", "#+title: "+secret),
		"capture": func() error {
			_, err := ingest.Capture(ctx, d.a, api.CaptureRequest{Text: secret, Summary: "A page.", Title: "x"})
			return err
		}(),
		"source": func() error {
			_, err := gitsync.AddSource(ctx, d.a, api.SourceRequest{URL: "https://example.org", Text: "key " + secret})
			return err
		}(),
		"message": func() error {
			_, err := change.EditPage(ctx, d.a, change.EditRequest{Ref: "p", Edits: []doc.Edit{doc.Append{Text: "x"}}, WriteOptions: api.WriteOptions{Message: "key " + secret}})
			return err
		}(),
	} {
		if kb.CodeOf(err) != kb.Secret {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(d.root, "p.org")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, "\nkey "+secret+"\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := apptest.OK(gitsync.Commit(ctx, d.a, gitsync.Request{All: true}))(t); len(got.Left) == 0 {
		t.Errorf("the file was committed: %+v", got)
	}
	if all := d.git("cat-file", "--batch-all-objects", "--unordered", "--batch"); !strings.Contains(all, "Begun.") || strings.Contains(all, secret) {
		t.Error("it is in an object")
	}
}

// The repository goes while cairn runs, between writes and in the middle of one: nothing that
// was written is lost, and where there is no repository no write is begun.
func TestRepositoryThatIsDeletedMeanwhile(t *testing.T) {
	// Serial: it sets environment variables.
	_, d := began(t)
	hook := filepath.Join(d.root, ".git", "hooks", "pre-commit")
	fsystest.WriteProgram(t, hook, "#!/bin/sh\nmv .git ../away\n")
	apptest.Accept(t, d.a, "kb")
	done, err := change.Put(t.Context(), d.a, change.PutRequest{Ref: "q", Text: []byte("Written.\n"), Summary: "A page."})
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(done.Pages[0].Notes, " "); !strings.Contains(said, "not committed yet") {
		t.Errorf("the answer says %q", said)
	}
	has := func(word string) bool {
		text, err := os.ReadFile(filepath.Join(d.root, "q.org"))
		return err == nil && strings.Contains(string(text), word)
	}
	if !has("Written.") {
		t.Error("it is not written")
	}
	if e := kb.AsError(d.append("q", "Refused.")); e.Reason != kb.NoRepository || has("Refused.") {
		t.Errorf("a write without a repository: %v", e)
	}
	g := apptest.OK(state.Describe(t.Context(), d.a))(t).Git[0]
	if g.Held != 1 || g.Error == "" {
		t.Errorf("the state is %+v", g)
	}
	away := filepath.Join(filepath.Dir(d.root), "away")
	if err := os.Remove(filepath.Join(away, "hooks", "pre-commit")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(away, filepath.Join(d.root, ".git")); err != nil {
		t.Fatal(err)
	}
	apptest.Accept(t, d.a, "kb")
	if err := d.append("q", "Again."); err != nil {
		t.Fatal(err)
	}
	if status := d.git("status", "--porcelain"); status != "" || !has("Again.") {
		t.Errorf("status: %s\n%s", status, d.git("diff"))
	}
	if n := d.git("rev-list", "--count", "origin/main..HEAD"); n != "2" {
		t.Errorf("there are %s commits:\n%s", n, d.git("log", "--oneline"))
	}
	d.git("fsck", "--strict")
}
