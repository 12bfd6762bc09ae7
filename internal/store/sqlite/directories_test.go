package sqlite

import (
	"context"
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// A directory is listed by reading what is directly in it, however much is below.
func TestDirectoryReadsNothingBelowIt(t *testing.T) {
	t.Parallel()
	db := open(t)
	space := addSpace(t, db, "notes")
	docs := vault(space, 800, 0) // in 17 directories
	for i := range 3 {
		d := vault(space, 1, 0)[0]
		d.Path = fmt.Sprintf("here%d.md", i)
		d.ID = kb.DerivedID("", d.Path, "", 0)
		d.Pages[0].Page.ID, d.Pages[0].Page.Slug = d.ID, d.Path
		docs = append(docs, d)
	}
	putAll(t, db, docs)
	err := db.View(t.Context(), func(x store.Tx) error {
		var queries, rows int
		c := &counting{Conn: x.(*tx).c, queries: &queries, rows: &rows}
		got, err := relational.NewTx(c, dialect, "", false).Directories().Below(t.Context(), space, "")
		if len(got.Directories) != 17 || len(got.Pages) != 3 {
			t.Errorf("%d directories and %d pages", len(got.Directories), len(got.Pages))
		}
		// A look for documents of several pages, a look and a count for each directory, and a
		// look behind the last.
		if queries != 2*17+2 || rows != 2*17+3 {
			t.Errorf("%d queries read %d rows", queries, rows)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// counting counts queries and the rows of their answers.
type counting struct {
	relational.Conn
	queries, rows *int
}

func (c *counting) Query(ctx context.Context, sql string, args []any, f func(row) error) error {
	*c.queries++
	return c.Conn.Query(ctx, sql, args, func(r row) error { *c.rows++; return f(r) })
}
