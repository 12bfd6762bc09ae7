package foreigntest

import (
	"context"
	"database/sql"
	"errors"
	"testing"
)

// tables are the tables of kt, with the columns that an import reads.
const tables = `CREATE TABLE nodes (id TEXT PRIMARY KEY, namespace TEXT NOT NULL, title TEXT, content TEXT NOT NULL, status TEXT NOT NULL,
 source_type TEXT NOT NULL, tags TEXT, embedding BLOB, compacted_into TEXT, created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL, stale_at DATETIME, session_id TEXT);
CREATE TABLE links (id TEXT PRIMARY KEY, source_id TEXT NOT NULL, target_id TEXT NOT NULL, link_type TEXT NOT NULL, context TEXT, created_at DATETIME NOT NULL);
CREATE TABLE namespaces (slug TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT);
CREATE TABLE project_mappings (directory_pattern TEXT PRIMARY KEY, namespace TEXT NOT NULL);`

// Sample makes a database with the oddities of real ones: broken links and mappings, a node
// without a title or tags, times with and without a zone.
func Sample(ctx context.Context, file string) error {
	return write(ctx, file,
		[]row{
			{"kt-a1b2", "clients", "Two suppliers", "Half from each.", "active", "capture", `["supply","supply"]`, []byte{1}, nil, "2026-05-18T14:00:00Z", "2026-05-18T14:00:00Z", nil, "s-0518"},
			{"kt-c3d4", "clients", "Two suppliers", "All from one.\r\nFor now.", "stale", "capture", `[]`, nil, nil, "2025-11-24 10:00:00", "2026-05-18 14:00:00", "2026-05-18T14:00:00Z", ""},
			{"kt-0a01", "ember", nil, "Firing 11. Overshoot 3 °C.", "compacted", "capture", nil, nil, "kt-5a5a", "2025-12-01T08:00:00Z", "2026-04-10T03:00:00Z", "2026-03-31T03:00:00Z", nil},
			{"kt-5a5a", "ember", "Drift", "```\n---\n```\nIt grew.", "active", "compaction", `["釉薬"]`, nil, "kt-gone", "2026-04-10T03:00:00Z", "2026-04-10T03:00:00Z", nil, nil},
		},
		[]row{
			{"l1", "kt-a1b2", "kt-c3d4", "supersedes", "the strike (April)", "2026-05-18T14:00:01Z"},
			{"l2", "kt-5a5a", "kt-a1b2", "related", nil, "2026-05-18T14:00:02Z"},
			{"l3", "kt-5a5a", "kt-zzzz", "related", "it was deleted", "2026-05-18T14:00:03Z"},
		},
		[]row{{"clients", "Our clients", ""}, {"empty", "empty", nil}},
		[]row{{"/srv/clients/*", "clients"}, {"/srv/no/**", "nowhere"}},
	)
}

// row is a row of a table.
type row []any

// write makes a database of rows, by table: nodes with id, namespace, title, content,
// status, source, tags, embedding, compacted into, created, updated, stale and session;
// links with id, source, target, type, context and created; namespaces; mappings.
func write(ctx context.Context, file string, nodes, links, namespaces, mappings []row) (err error) {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, tables); err != nil {
		return err
	}
	for _, x := range []struct {
		insert string
		rows   []row
	}{
		{"INSERT INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", nodes},
		{"INSERT INTO links VALUES (?, ?, ?, ?, ?, ?)", links},
		{"INSERT INTO namespaces VALUES (?, ?, ?)", namespaces},
		{"INSERT INTO project_mappings VALUES (?, ?)", mappings},
	} {
		for _, row := range x.rows {
			if _, err := db.ExecContext(ctx, x.insert, row...); err != nil {
				return err
			}
		}
	}
	return nil
}

// Titled changes the title of a node.
func Titled(t *testing.T, file, id, title string) {
	t.Helper()
	run(t, file, "UPDATE nodes SET title = ? WHERE id = ?", title, id)
}
