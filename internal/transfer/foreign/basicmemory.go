package foreign

import (
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Project is a directory of notes.
type BasicMemoryProject struct {
	Name, Path string
	Default    bool
}

// Projects returns the active projects of the database in a file. One that is none, or
// lacks the table, is kb.Invalid.
func Projects(ctx context.Context, file string) (out []BasicMemoryProject, err error) {
	db, err := Open(file, false)
	if err != nil {
		return nil, unreadable(file, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, "SELECT name, path, coalesce(is_default, 0) FROM project WHERE is_active ORDER BY name")
	if err != nil {
		return nil, unreadable(file, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var p BasicMemoryProject
		if err := rows.Scan(&p.Name, &p.Path, &p.Default); err != nil {
			return nil, unreadable(file, err)
		}
		out = append(out, p)
	}
	if err := rows.Err(); err != nil {
		return nil, unreadable(file, err)
	}
	return out, nil
}

func unreadable(file string, err error) error {
	return kb.Errorf(kb.Invalid, "%s cannot be read as a database of Basic Memory: %w", file, err).
		WithHint("Nothing was changed. It is usually ~/.basic-memory/memory.db.")
}
