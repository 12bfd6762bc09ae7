package scenarios_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A server keeps its memory open for weeks while others change spaces beside
// it: it must go by what is there now, and not by what was there when it
// first looked.
func TestOpenSpacesFollowWhatOthersDo(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{"a.md": "# A\n"})
	server, other := b.Open(), b.Open()
	apptest.OK(gitsync.AddSpace(ctx, other, space.AddRequest{Root: root}))(t)
	put := func(ref string) error {
		_, err := change.Put(ctx, server, change.PutRequest{Ref: "notes:" + ref, Text: []byte("text\n")})
		return err
	}
	if err := put("one"); err != nil {
		t.Fatal(err)
	}

	t.Run("the policy is edited", func(t *testing.T) {
		file := filepath.Join(root, ".cairn", "space.toml")
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(string(before)+"\n[permissions]\ndefault = \"deny\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := put("two"); kb.CodeOf(err) != kb.Refused {
			t.Errorf("a write that the policy forbids now: %v, want refused", err)
		}
		if err := os.WriteFile(file, before, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := put("two"); err != nil {
			t.Errorf("a write under the old policy: %v", err)
		}
	})
	t.Run("another directory takes the place", func(t *testing.T) {
		if err := os.Rename(root, root+".old"); err != nil {
			t.Fatal(err)
		}
		b.Dir("notes", map[string]string{"b.md": "# B\n"})
		if err := os.CopyFS(filepath.Join(root, ".cairn"), os.DirFS(filepath.Join(root+".old", ".cairn"))); err != nil {
			t.Fatal(err)
		}
		r := apptest.OK(gitsync.Sync(ctx, server, gitsync.SyncRequest{Space: "notes", Yes: true}))(t)
		if got := strings.Join(r[0].Added, " "); got != "b.md" {
			t.Errorf("the sync added %q, want b.md", got)
		}
		if err := put("three"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(root, "three.md")); err != nil {
			t.Errorf("the write went elsewhere: %v", err)
		}
	})
	t.Run("the space is removed", func(t *testing.T) {
		apptest.OK(other.Spaces.Remove(ctx, space.RemoveRequest{Name: "notes"}))(t)
		if _, err := gitsync.Sync(ctx, server, gitsync.SyncRequest{Space: "notes"}); kb.CodeOf(err) != kb.NotFound {
			t.Errorf("a sync of a space that is gone: %v, want not_found", err)
		}
	})
}
