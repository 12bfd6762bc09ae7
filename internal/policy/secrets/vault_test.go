package secrets

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVaultsRaiseFewAlarms reads the directories of real notes that
// CAIRN_VAULTS lists and holds the rate of pages with a finding to 1 %.
// What it logs is rules, paths and lines.
func TestVaultsRaiseFewAlarms(t *testing.T) {
	t.Parallel()
	list := os.Getenv("CAIRN_VAULTS")
	if list == "" {
		t.Skip("CAIRN_VAULTS names no directories of notes")
	}
	for _, dir := range filepath.SplitList(list) {
		pages, alarmed := 0, 0
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !isNote(path) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			pages++
			found := Scan(text, Options{})
			if len(found) > 0 {
				alarmed++
			}
			for _, f := range found {
				t.Logf("%s:%d: %s (%d bytes)", path, f.Line, f.Rule, f.End-f.Start)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if pages == 0 {
			t.Fatalf("%s holds no notes", dir)
		}
		t.Logf("%s: %d of %d pages", dir, alarmed, pages)
		if alarmed*100 > pages {
			t.Errorf("%s: %d of %d pages have findings, more than 1 %%", dir, alarmed, pages)
		}
	}
}

func isNote(path string) bool {
	return strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".org")
}
