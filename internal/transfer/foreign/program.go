package foreign

import (
	"context"
	"database/sql"
)

// Kind is the kind of a database: the program that it belongs to.
type Kind struct {
	Program string // its name in cairn import
	What    string
	Notes   int // 0 if its notes are in files
}

// kinds are recognised by a table and a column that only they have.
var kinds = []struct {
	kind          Kind
	table, column string
	count         string
}{
	{Kind{Program: "quaid", What: "a database of quaid"}, "pages", "compiled_truth", "SELECT count(*) FROM pages"},
	{Kind{Program: "kt", What: "a database of kt"}, "project_mappings", "directory_pattern", "SELECT count(*) FROM nodes"},
	{Kind{Program: "basic-memory", What: "a database of Basic Memory"}, "project", "permalink", "SELECT 0"},
}

// KindOf returns the kind of the database in a file; known is false for other databases.
func KindOf(ctx context.Context, file string) (out Kind, known bool) {
	err := read(ctx, file, "another program", func(db *reading) error {
		for _, k := range kinds {
			found := false
			err := db.each(ctx, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?", func(*sql.Rows) error { found = true; return nil }, k.table, k.column)
			if err != nil || !found {
				if err != nil {
					return err
				}
				continue
			}
			out, known = k.kind, true
			return db.each(ctx, k.count, func(rows *sql.Rows) error { return rows.Scan(&out.Notes) })
		}
		return nil
	})
	return out, known && err == nil
}
