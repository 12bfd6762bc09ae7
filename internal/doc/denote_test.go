package doc_test

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
)

func TestDenoteKeywords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"20240101T120000--one__kw1_kw2.org":      {"kw1", "kw2"},
		"a/20240202T130000==1a--two__kw3.md":     {"kw3"},
		"20240202T130000__kw3--two.md":           {"kw3"},
		"20240202T130000--two__a_b@@20250101.md": {"a", "b"},
		"20240101T120000--one.org":               nil,
		"20240101T120000 one__kw.org":            nil,
		"20240101T120000.org":                    nil,
		"one__kw1.org":                           nil,
	} {
		if got := doc.DenoteKeywords(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
