package markdown_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/doctest"
	"github.com/cairn-kb/cairn/internal/doc/markdown"
)

func fixtures(t testing.TB) []doctest.Fixture {
	t.Helper()
	paths, err := filepath.Glob("testdata/pages/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no pages in testdata: %v", err)
	}
	var all []doctest.Fixture
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, doctest.Fixture{Path: filepath.Base(path), Source: source})
	}
	return all
}

func TestSuite(t *testing.T) {
	t.Parallel()
	doctest.Run(t, markdown.Codec{}, fixtures(t))
}
