package policy_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// The keys of compaction have defaults that fit together, and what means nothing is
// refused by naming the key.
func TestCompactPolicy(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text        string
		least, most int
		bad         string
	}{
		{"", 3, 20, ""},
		{"[compact]\nevery = 30\nmin_cluster = 2\nsimilarity = 0.7\nmax_pages = 5\n", 2, 5, ""},
		{"[compact]\nmin_cluster = 50\n", 50, 50, ""},
		{"[compact]\nmax_pages = 3\n", 3, 3, ""},
		{"[compact]\nevery = -1\n", 0, 0, "compact.every"},
		{"[compact]\nmin_cluster = 1\n", 0, 0, "compact.min_cluster"},
		{"[compact]\nmin_cluster = -3\n", 0, 0, "compact.min_cluster"},
		{"[compact]\nmin_cluster = 1000\n", 0, 0, "compact.min_cluster"},
		{"[compact]\nmax_pages = 2\n", 0, 0, "compact.max_pages"},
		{"[compact]\nmax_pages = 201\n", 0, 0, "compact.max_pages"},
		{"[compact]\nsimilarity = 1.5\n", 0, 0, "compact.similarity"},
		{"[compact]\nsimilarity = nan\n", 0, 0, "compact.similarity"},
		{"[compact]\ncommand = \"sh\"\n", 0, 0, "compact.command"},
	} {
		p, err := policy.Parse([]byte(tc.text))
		if tc.bad != "" {
			if kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), tc.bad) {
				t.Errorf("%q: %v, want an error that names %s", tc.text, err, tc.bad)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", tc.text, err)
			continue
		}
		if least, most := p.Compact.Sizes(); least != tc.least || most != tc.most {
			t.Errorf("%q makes clusters of %d to %d pages, want %d to %d", tc.text, least, most, tc.least, tc.most)
		}
	}
}
