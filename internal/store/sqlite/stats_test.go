package sqlite

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
)

// Broken links are counted by reading no others.
func TestLinksAreCountedFromIndexes(t *testing.T) {
	db := open(t)
	err := db.View(t.Context(), func(tx store.Tx) error {
		l := tx.Links().(links)
		for cond, index := range map[string]string{broken: "links_broken", "x.candidates > 1": "links_ambiguous"} {
			var plan []string
			err := l.t.query(t.Context(), "EXPLAIN QUERY PLAN SELECT count(*) FROM links x WHERE "+cond, nil, func(r row) error {
				plan = append(plan, r.text(3))
				return nil
			})
			if got := strings.Join(plan, "; "); got != "SCAN x USING INDEX "+index || err != nil {
				t.Errorf("%s: %s, %v", cond, got, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
