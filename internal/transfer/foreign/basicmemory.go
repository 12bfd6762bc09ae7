package foreign

import (
	"context"
	"database/sql"

	"github.com/cairn-kb/cairn/internal/kb"
)

// BasicMemoryProject is a project: a directory of notes.
type BasicMemoryProject struct {
	Name, Path string
	Default    bool
}

// Projects returns the active projects of the database in a file. A file that is not a
// database, or lacks the table, is kb.Invalid.
func Projects(ctx context.Context, file string) (out []BasicMemoryProject, err error) {
	const query = "SELECT name, path, coalesce(is_default, 0) FROM project WHERE is_active ORDER BY name"
	err = read(ctx, file, "Basic Memory", func(db *reading) error {
		return db.each(ctx, query, func(rows *sql.Rows) error {
			var p BasicMemoryProject
			err := rows.Scan(&p.Name, &p.Path, &p.Default)
			out = append(out, p)
			return err
		})
	})
	if err != nil {
		return nil, kb.AsError(err).WithHint("Nothing was changed. It is usually ~/.basic-memory/memory.db.")
	}
	return out, nil
}
