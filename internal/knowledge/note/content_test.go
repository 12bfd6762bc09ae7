package note_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/note"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Where a person keeps the memory in a space, no file of it is served: with the owner's
// token an agent would be the owner.
func TestFilesOfTheMemoryAreNotServed(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	dir := filepath.Dir(b.Database())
	base := filepath.Base(b.Database())
	if err := os.MkdirAll(filepath.Join(dir, base+".tokens"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{base + ".token", base + ".tokens/ci", "plain.txt", base + "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: dir, Name: "all"}))(t)
	a = a.In("all")
	// Nor is a backup, or the token of another memory.
	copied := apptest.OK(os.ReadFile(b.Database()))(t)
	for _, name := range []string{"backup.db", "other.sqlite"} {
		if err := os.WriteFile(filepath.Join(dir, name), copied, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "other.sqlite.token"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{base, base + ".token", base + ".tokens/ci", base + "-wal", "backup.db", "other.sqlite.token"} {
		if c, err := note.ReadContent(t.Context(), a, name); kb.CodeOf(err) != kb.NotFound || len(c.Bytes) > 0 {
			t.Errorf("%s is served: %d bytes, %v", name, len(c.Bytes), err)
		}
	}
	for _, name := range []string{"plain.txt", base + "x"} {
		if c, err := note.ReadContent(t.Context(), a, name); err != nil || string(c.Bytes) != "text" {
			t.Errorf("%s: %q, %v", name, c.Bytes, err)
		}
	}
}
