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

// A path that leads to no file of the space is missing, whatever the file system says of it.
// Where links lead in a circle the path is refused. Neither is a failure of the program.
func TestPathsThatLeadToNoFile(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	dir, out := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{filepath.Join(dir, "a.md"): "# A\n", filepath.Join(out, "x.md"): "# X\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"out": out, "out.md": filepath.Join(out, "x.md"), "circle": "circle", "circle.md": "circle.md", "nowhere": "missing"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links: ", err)
		}
	}
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Root: dir, Name: "kb"}))(t)
	a = a.In("kb")
	for name, want := range map[string]kb.Code{
		"out/x.md": kb.NotFound, "out/x.png": kb.NotFound, "out.md": kb.NotFound, "nowhere/x.md": kb.NotFound, "none/x.md": kb.NotFound,
		"a.md/x.md": kb.NotFound, "a.md/b/x.png": kb.NotFound, "circle.md": kb.NotFound, "circle/x.md": kb.Refused,
	} {
		if c, err := note.ReadContent(t.Context(), a, name); kb.CodeOf(err) != want || len(c.Bytes) > 0 {
			t.Errorf("%s: %q, %v, want %s", name, c.Bytes, err, want)
		}
	}
}
