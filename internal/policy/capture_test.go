package policy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

// The tables of captured knowledge are read, have defaults, and refuse what means
// nothing by naming the key.
func TestCapturePolicy(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text    string
		similar float64
		pages   int
		hidden  []kb.Status
		bad     string // key that the error names
	}{
		{"", 0.8, 10, nil, ""},
		{"[capture]\nauto_tags = true\nsimilar = 0.9\nauto_link = 0.7\non_similar = \"ask\"\n", 0.9, 10, nil, ""},
		{"[brief]\nlimit = 3\nelsewhere = true\n[search]\nmode = \"hybrid\"\nhide = [\"compacted\", \"Stale\"]\n", 0.8, 3, []kb.Status{kb.Compacted, kb.Stale}, ""},
		{"[capture]\nsimilar = 1.2\n", 0, 0, nil, "capture.similar"},
		{"[capture]\nsimilar = nan\n", 0, 0, nil, "capture.similar"},
		{"[capture]\nauto_link = -0.1\n", 0, 0, nil, "capture.auto_link"},
		{"[capture]\non_similar = \"merge\"\n", 0, 0, nil, "capture.on_similar"},
		{"[capture]\nautotags = true\n", 0, 0, nil, "capture.autotags"},
		{"[brief]\nlimit = -1\n", 0, 0, nil, "brief.limit"},
		{"[search]\nmode = \"fuzzy\"\n", 0, 0, nil, "search.mode"},
		{"[search]\nhide = [\"gone\"]\n", 0, 0, nil, "search.hide"},
		{"[search]\nhide = [\"\"]\n", 0, 0, nil, "search.hide"},
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
		if p.Capture.SimilarFrom() != tc.similar || p.Brief.Pages() != tc.pages || !cmp.Equal(p.Search.Hidden(), tc.hidden) {
			t.Errorf("%q is read as %v, %d pages, %v hidden", tc.text, p.Capture.SimilarFrom(), p.Brief.Pages(), p.Search.Hidden())
		}
		text, err := p.Render()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := policy.Parse(text); err != nil || !cmp.Equal(again, p) {
			t.Errorf("%q does not read back: %s, %v", tc.text, text, err)
		}
	}
}
