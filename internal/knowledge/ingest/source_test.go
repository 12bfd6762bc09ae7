package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Sources of one title that are added at once, by two processes, get names of their own.
func TestSourcesAtOnce(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{"a.md": "# A\n", ".cairn/space.toml": "[sources]\ndir = \"raw\"\n"})
	processes := []*memory.Session{b.Open(), b.Open()}
	if _, err := gitsync.AddSpace(t.Context(), processes[0], space.AddRequest{Root: root, Accept: true}); err != nil {
		t.Fatal(err)
	}
	paths := make([]string, 12)
	var all sync.WaitGroup
	for i := range paths {
		all.Go(func() {
			req := api.SourceRequest{URL: fmt.Sprintf("https://example.org/%d", i), Title: "One title"}
			out, err := gitsync.AddSource(t.Context(), processes[i%2], req)
			if err != nil {
				t.Errorf("%d: %v", i, err)
			}
			paths[i] = out.Path
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, p := range paths {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(p))); err != nil || seen[p] {
			t.Errorf("%s is there: %v; twice: %t", p, err, seen[p])
		}
		seen[p] = true
	}
}
