package sqlite

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
)

// Broken links are counted by reading no others.
func TestLinksAreCountedFromIndexes(t *testing.T) {
	t.Parallel()
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

// Statements that run by the ten thousand must not need a journal of their own, which
// SQLite keeps for those that call a function, in the condition of an index too.
func TestBulkStatementsCallNoFunctions(t *testing.T) {
	t.Parallel()
	db := open(t)
	err := db.View(t.Context(), func(tx store.Tx) error {
		of := tx.Links().(links).t
		in := newInserts(of)
		statements := []string{resolve}
		for _, b := range []*bulk{in.names, in.tags, in.links, in.observations, in.entries, in.warnings, in.properties, in.items, in.endings, in.assertions} {
			statements = append(statements, b.sql[0])
		}
		for _, sql := range statements {
			err := of.query(t.Context(), "EXPLAIN "+sql, make([]any, strings.Count(sql, "?")), func(r row) error {
				if op := r.text(1); strings.HasSuffix(op, "Func") || op == "Function" {
					t.Errorf("%.60s: %s", sql, op)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
