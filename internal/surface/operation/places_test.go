package operation_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/kb"
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

// since: session are the changes since the last session, also after the context of the
// present one was compacted.
func TestRecentSinceTheLastSession(t *testing.T) {
	t.Parallel()
	b := newTools(t)
	root := b.Dir("notes", map[string]string{"old.md": "# Old\n"})
	b.caller.Dir = root
	a, err := b.memory.Session(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gitsync.AddSpace(t.Context(), a.As(kb.Actor{Kind: kb.Human}), space.AddRequest{Root: root}); err != nil {
		t.Fatal(err)
	}
	prime := func(source string) {
		t.Helper()
		s := a.For(b.caller)
		p, err := brief.PrimeSession(t.Context(), s, brief.PrimeRequest{Source: source})
		if err != nil {
			t.Fatal(err)
		}
		if err := brief.Primed(t.Context(), s, p); err != nil {
			t.Fatal(err)
		}
	}
	recent := func(want ...any) {
		t.Helper()
		var got []any
		for _, item := range b.must("browse", `{"what":"recent","since":"session"}`)["items"].([]any) {
			got = append(got, item.(map[string]any)["ref"])
		}
		if !slices.Equal(got, want) {
			t.Errorf("recent are %v, want %v", got, want)
		}
	}
	prime("startup")
	recent()
	if err := os.WriteFile(filepath.Join(root, "new.md"), []byte("# New\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	prime("startup")
	recent("notes:new")
	prime("compact")
	recent("notes:new")
	prime("")
	recent("notes:new")
	prime("startup")
	recent()
}
