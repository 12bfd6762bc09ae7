package sqlite

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// recording keeps the statements that were run.
type recording struct {
	relational.Conn
	statements *[]string
}

func (c recording) Query(ctx context.Context, sql string, args []any, f func(row) error) error {
	*c.statements = append(*c.statements, sql)
	return c.Conn.Query(ctx, sql, args, f)
}

func (c recording) Exec(ctx context.Context, sql string, args ...any) error {
	*c.statements = append(*c.statements, sql)
	return c.Conn.Exec(ctx, sql, args...)
}

// Broken links are counted by reading no others.
func TestLinksAreCountedFromIndexes(t *testing.T) {
	t.Parallel()
	db := open(t)
	err := db.View(t.Context(), func(v store.Tx) error {
		var statements, used []string
		c := v.(*tx).c
		if _, err := relational.NewTx(recording{c, &statements}, dialect, "", false).Links().Count(t.Context(), nil); err != nil {
			return err
		}
		for _, sql := range statements {
			var plan []string
			err := c.query(t.Context(), "EXPLAIN QUERY PLAN "+sql, nil, func(r row) error {
				plan = append(plan, r.Text(3))
				return nil
			})
			if err != nil {
				return err
			}
			used = append(used, strings.Join(plan, "; "))
		}
		for _, index := range []string{"links_broken", "links_ambiguous"} {
			if !slices.Contains(used, "SCAN x USING INDEX "+index) {
				t.Errorf("%s is not used: %q", index, used)
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
	space := addSpace(t, db, "notes")
	err := db.Update(t.Context(), func(v store.Tx) error {
		var statements []string
		c := v.(*tx).c
		to := relational.NewTx(recording{c, &statements}, dialect, "", true)
		doc := vault(space, 1, 0)[0]
		p := &doc.Pages[0]
		p.Page.Tags, p.Names, p.Links = []string{"t"}, []string{"n"}, []kb.Link{{Name: "n"}}
		p.Observations, p.Entries, p.Warnings, p.Properties = []kb.Observation{{}}, []kb.Entry{{}}, []store.Warning{{}}, []kb.Property{{}}
		p.Items, p.Endings, p.Assertions = []kb.Item{{Line: 1}}, []kb.Ending{{}}, []kb.Assertion{{}}
		docs := []*store.Document{doc}
		if err := to.Documents().Put(t.Context(), docs); err != nil {
			return err
		}
		if err := to.Links().Put(t.Context(), docs); err != nil {
			return err
		}
		if err := to.Links().Resolve(t.Context(), []store.Resolution{{Row: 1}}); err != nil {
			return err
		}
		const bulks = 10 + 1
		if len(statements) != bulks {
			t.Errorf("%d statements, want %d: %q", len(statements), bulks, statements)
		}
		for _, sql := range statements {
			err := c.query(t.Context(), "EXPLAIN "+sql, make([]any, strings.Count(sql, "?")), func(r row) error {
				if op := r.Text(1); strings.HasSuffix(op, "Func") || op == "Function" {
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
