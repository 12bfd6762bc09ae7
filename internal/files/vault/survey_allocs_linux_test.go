//go:build (amd64 || arm64) && !race

// The race detector has pools drop what they keep, so that its runs count other
// allocations.

package vault_test

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/vault"
)

// What is allocated does not grow with the files.
func TestSurveyAllocations(t *testing.T) {
	// Serial: it counts allocations.
	dir := t.TempDir()
	for i := range 2000 {
		put(t, dir, fmt.Sprintf("d%d/a note with a longer name %d.md", i%4, i), "x")
	}
	put(t, dir, ".gitignore", "*.tmp\n/build/\n")
	tree := openDir(t, dir)
	got := testing.AllocsPerRun(5, func() {
		if list, err := vault.Survey(t.Context(), tree, markdown); err != nil || len(list.Files) != 2000 {
			t.Errorf("%v", err)
		}
	})
	if got > 300 {
		t.Errorf("%v allocations for 2000 files", got)
	}
}
