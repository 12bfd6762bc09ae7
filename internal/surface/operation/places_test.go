package operation_test

import (
	"context"
	"fmt"
	"github.com/cairn-kb/cairn/internal/kb"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/surface/operation/operationtest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// TestCallersInSecondPlaces: an agent that works in a second checkout reads and
// writes there, and is told once that this is a space of its own.
func TestCallersInSecondPlaces(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	policy := "id = \"7d5a1f4e-7a2b-4a63-9a3e-0f6f1c2b3a4d\"\nname = \"notes\"\npreset = \"notes\"\n"
	roots := map[string]string{}
	for _, name := range []string{"main", "read", "write"} {
		root := filepath.Join(b.Home, name)
		roots[name] = root
		if err := os.MkdirAll(filepath.Join(root, ".cairn"), 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{".cairn/space.toml": policy, "plan.md": "# The plan of " + name + "\n"} {
			if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	a, err := b.memory.Session(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gitsync.AddSpace(context.Background(), a.As(kb.Actor{Kind: kb.Human}), space.AddRequest{Root: roots["main"]}); err != nil {
		t.Fatal(err)
	}
	says := func(m map[string]any, name string) {
		t.Helper()
		want := fmt.Sprintf("%s has the same .cairn/space.toml as notes in %s: it is a space of its own, notes@%s", roots[name], roots["main"], name)
		if got := operationtest.At(t, m, "notes", 0); got != want {
			t.Errorf("the note is %v, want %s", got, want)
		}
	}

	b.caller.Dir = roots["read"]
	m := b.must("recall", `{"query":"plan","mode":"fts"}`)
	says(m, "read")
	if got := operationtest.At(t, m, "items", 0, "ref"); got != "notes@read:plan" || operationtest.At(t, m, "total") != 1.0 {
		t.Errorf("found %v", m)
	}
	if m = b.must("recall", `{"query":"plan","mode":"fts"}`); m["notes"] != nil {
		t.Errorf("told again: %v", m["notes"])
	}

	b.caller.Dir = roots["write"]
	m = b.must("write", `{"ref":"new","text":"# New"}`)
	says(m, "write")
	if got := operationtest.At(t, m, "pages", 0, "ref"); got != "notes@write:new" {
		t.Errorf("written to %v", got)
	}
	if _, err := os.Stat(filepath.Join(roots["write"], "new.md")); err != nil {
		t.Error(err)
	}
}
