package markdown_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc/doctest"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
)

// editedPages: one page in so many is edited as well.
const editedPages = 50

// TestVaults parses every page of the vaults that CAIRN_VAULTS names, folders
// separated as in PATH, and checks that rendering gives each one back and
// that edits stay in their place. Nothing is written.
func TestVaults(t *testing.T) {
	// Serial: it measures time.
	vaults := filepath.SplitList(os.Getenv("CAIRN_VAULTS"))
	if len(vaults) == 0 {
		t.Skip("CAIRN_VAULTS names no folders of real notes")
	}
	for _, vault := range vaults {
		t.Run(filepath.Base(vault), func(t *testing.T) { parseVault(t, vault) })
	}
}

func parseVault(t *testing.T, vault string) {
	var codec markdown.Codec
	count := make(map[string]int)
	warnings := make(map[string]int)
	var took time.Duration
	err := filepath.WalkDir(vault, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !slices.Contains(codec.Extensions(), filepath.Ext(path)) {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		start := time.Now()
		d := codec.Parse(filepath.ToSlash(path), source)
		took += time.Since(start)
		doctest.Identity(t, codec, doctest.Fixture{Path: d.Path, Source: source})
		if count["pages"]%editedPages == 0 {
			doctest.EditAll(t, codec, doctest.Fixture{Path: d.Path, Source: source})
		}
		n := d.Nodes[0]
		for _, w := range d.Warnings {
			warnings[w.Code]++
			t.Logf("%s:%d: %s", path, w.Line, w.Code)
		}
		count["pages"]++
		count["bytes"] += len(source)
		count["keys"] += len(n.Metadata)
		count["headings"] += len(n.Headings)
		count["links"] += len(n.Links)
		count["relations"] += len(n.Relations)
		count["observations"] += len(n.Observations)
		count["entries"] += len(n.Entries)
		count["tasks"] += len(n.Tasks)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count["pages"] == 0 {
		t.Fatal("no pages found")
	}
	t.Logf("%v, warnings %v, %.0f MB/s", count, warnings, float64(count["bytes"])/1e6/took.Seconds())
}
