package foreigntest

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// Shape selects the columns and tables of a database.
type Shape int

const (
	Plain    Shape = iota // as specified: no collections, one page for each slug
	Groups                // with collections, namespaces and the columns added with them
	Newer                 // of an unknown version, with an additional table
	Long                  // like Groups, with more pages than an import keeps in memory at a time
	Disputed              // like Plain; two of its pages contradict each other
)

// PlainPages is the number of pages of Plain.
const PlainPages = 3

// quaidtestTables returns the statements that create quaid's tables, with the
// columns that an import reads.
func quaidtestTables(s Shape) string {
	pages := "id INTEGER PRIMARY KEY, slug TEXT, type TEXT, title TEXT, compiled_truth TEXT, timeline TEXT, frontmatter TEXT, created_at TEXT, updated_at TEXT"
	links := "id INTEGER PRIMARY KEY, from_page_id INTEGER, to_page_id INTEGER, relationship TEXT, context TEXT, valid_from TEXT, valid_until TEXT"
	out := ""
	if s != Plain && s != Disputed {
		pages += ", collection_id INTEGER DEFAULT 1, namespace TEXT DEFAULT '', quarantined_at TEXT, superseded_by INTEGER"
		links += ", source_kind TEXT"
		out = `CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT, is_write_target INTEGER);
CREATE TABLE namespaces (id TEXT PRIMARY KEY, ttl_hours REAL);
INSERT INTO collections VALUES (1, 'default', 1), (2, 'handbook', 0), (3, 'empty', 0);
INSERT INTO namespaces VALUES ('agent-a', 48.5), ('unused', NULL);
`
	}
	return out + "CREATE TABLE pages (" + pages + ");\nCREATE TABLE links (" + links + `);
CREATE TABLE config (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE tags (id INTEGER PRIMARY KEY, page_id INTEGER, tag TEXT);
CREATE TABLE raw_data (id INTEGER PRIMARY KEY, page_id INTEGER, source TEXT, data TEXT, fetched_at TEXT);
CREATE TABLE timeline_entries (id INTEGER PRIMARY KEY, page_id INTEGER, date TEXT, source TEXT, summary TEXT, detail TEXT);
CREATE TABLE raw_imports (id INTEGER PRIMARY KEY, page_id INTEGER, import_id TEXT, is_active INTEGER, raw_bytes BLOB, file_path TEXT);
CREATE TABLE assertions (id INTEGER PRIMARY KEY, page_id INTEGER, subject TEXT, predicate TEXT, object TEXT, valid_from TEXT, valid_until TEXT,
 supersedes_id INTEGER, confidence REAL, asserted_by TEXT, source_ref TEXT, evidence_text TEXT, created_at TEXT);
CREATE TABLE contradictions (id INTEGER PRIMARY KEY, page_id INTEGER, other_page_id INTEGER, type TEXT, description TEXT, detected_at TEXT, resolved_at TEXT);
CREATE TABLE knowledge_gaps (id INTEGER PRIMARY KEY, page_id INTEGER, query_hash TEXT, query_text TEXT, context TEXT, confidence_score REAL, sensitivity TEXT,
 approved_by TEXT, approved_at TEXT, redacted_query TEXT, resolved_at TEXT, resolved_by_slug TEXT, detected_at TEXT);
CREATE TABLE embedding_models (name TEXT);
INSERT INTO embedding_models VALUES ('bge-small-en-v1.5');
`
}

// disputed are the additional rows of Disputed: two pairs of contradicting pages, the first
// one resolved.
const disputed = `INSERT INTO assertions VALUES (20, 1, 'Ada', 'born_in', 'London', NULL, NULL, NULL, 1, 'manual', '', '', ''),
 (21, 2, 'Ada', 'born_in', 'Paris', NULL, NULL, NULL, 1, 'manual', '', '', ''),
 (22, 1, 'Ada', 'headquartered_in', 'Turin', NULL, NULL, NULL, 1, 'manual', '', '', ''),
 (23, 2, 'Ada', 'headquartered_in', 'Genoa', NULL, NULL, NULL, 1, 'manual', '', '', '');
INSERT INTO contradictions VALUES (3, 1, 2, 'assertion_conflict', 'Ada has conflicting born_in assertions', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
 (4, 1, 2, 'assertion_conflict', 'Ada has conflicting headquartered_in assertions', '2026-01-01T00:00:00Z', NULL)`

// Ada is the file of the page people/ada, with CR LF.
const Ada = "---\r\ntitle: Ada\r\ntype: person\r\ntags: [math]\r\n---\r\n\r\n# Ada\r\n\r\n> Wrote programs for [[companies/acme|Acme]].\r\n\r\n---\r\n\r\n- **1843-09-01** | letter — Note G\r\n"

const rows = `INSERT INTO pages (id, slug, type, title, compiled_truth, timeline, frontmatter, created_at, updated_at) VALUES
 (1, 'people/ada', 'person', 'Ada', '# Ada

> Wrote programs for [[companies/acme|Acme]].', '- **1843-09-01** | letter — Note G', '{"tags":["math"],"title":"Ada","type":"person"}', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'),
 (2, 'companies/acme', 'company', 'Acme', '# Acme

> Engines since 2012.', '', '{"title":"Acme","founded":"2012-04-01","floors":3,"nick":["A","B"],"site":{"a":[1]}}', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'),
 (3, 'notes', 'concept', 'notes', 'Plain.', '', '{}', '', '');
INSERT INTO raw_imports VALUES (1, 1, 'b1', 0, X'6f6c64', 'people/ada.md'), (2, 1, 'b2', 1, CAST(?1 AS BLOB), 'people/ada.md'), (3, 2, 'b2', 1, X'6f74686572', 'companies/acme.md'), (4, 99, 'b2', 1, X'78', 'gone.md');
INSERT INTO tags VALUES (1, 1, 'math'), (2, 2, 'engines'), (3, 99, 'lost');
INSERT INTO links (id, from_page_id, to_page_id, relationship, context, valid_from, valid_until) VALUES
 (1, 1, 2, 'related', '', NULL, NULL), (2, 1, 2, 'works_at', 'as a (senior) analyst', '2012', '2013-12'), (3, 1, 2, 'works_at', '', '2013-06', NULL),
 (4, 1, 99, 'knows', '', NULL, NULL), (5, 2, 1, 'employs', '', 'soon', NULL);
INSERT INTO timeline_entries VALUES (1, 1, '1843-09-01', 'letter', 'Note G', ''), (2, 1, '2026-06-12', 'mail', 'Relays in August', 'By air.'), (3, 1, '2026-13-01', '', 'no such month', '');
INSERT INTO raw_data VALUES (1, 2, 'registry', '{"big":12345678901234567890,"s":"é"}', '2026-01-02 03:04:05'), (2, 2, 'broken', '{', '2026-01-02 03:04:05');
INSERT INTO assertions VALUES (1, 1, 'Ada', 'works_at', 'Acme', '2012', '2013-12', NULL, 0.9, 'manual', 'contract', 'Wrote programs', '2026-01-02T10:00:00Z'),
 (2, 1, 'Ada', 'works_at', 'Babbage', '2014', NULL, 1, NULL, 'extraction', '', 'frontmatter', '2026-01-02T10:01:00Z'),
 (3, 1, 'a
b', 'is', 'c', NULL, NULL, 4, 1, 'agent', '', '', ''), (4, 1, 'd', 'is', 'e', NULL, NULL, 3, 1, 'agent', '', '', ''),
 (5, 1, '', 'is', 'e', NULL, NULL, NULL, 1, 'agent', '', '', ''), (6, 1, 'd', 'is', 'e', NULL, NULL, NULL, 1, 'agent', '', '', '');
INSERT INTO contradictions VALUES (1, 1, 2, 'temporal', 'she left', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'), (2, 1, NULL, 'stale', 'old', '2026-01-01T00:00:00Z', NULL);
INSERT INTO knowledge_gaps VALUES (1, NULL, '1f0d1d2c3b4a59687786950a1b2c3d4e5f60718293a4b5c6d7e8f9000112233a', 'Which insurer covers fires?', 'asked by Ada', 0.12, 'external', 'ada', '2026-06-20T09:00:00Z', NULL, NULL, NULL, '2026-06-19T16:00:00Z'),
 (2, NULL, '2f0d1d2c3b4a59687786950a1b2c3d4e5f60718293a4b5c6d7e8f9000112233b', NULL, '', 0.27, 'redacted', 'ada', '2026-06-20T09:01:00Z', 'What does [person] earn?', NULL, NULL, '2026-06-19T16:01:00Z'),
 (3, 1, '3f0d1d2c3b4a59687786950a1b2c3d4e5f60718293a4b5c6d7e8f9000112233c', NULL, '', NULL, 'external', 'ada', '2026-06-20T09:02:00Z', NULL, '2026-06-21T08:00:00Z', 'people/ada', '2026-06-19T16:02:00Z'),
 (4, 1, '4f', NULL, '', NULL, 'internal', NULL, NULL, NULL, NULL, NULL, ''),
 (5, 1, '5f0d1d2c3b4a59687786950a1b2c3d4e5f60718293a4b5c6d7e8f9000112233c', NULL, 'derived wiki_link edge target did not resolve', NULL, 'internal', NULL, NULL, NULL, NULL, NULL, '');
`

// grouped are the additional rows of Groups: the same slug in three groups, pages that
// supersede each other in a cycle, and slugs that lead out of the memory.
const grouped = `INSERT INTO pages (id, slug, type, title, compiled_truth, timeline, frontmatter, collection_id, namespace, quarantined_at, superseded_by) VALUES
 (10, 'notes', 'concept', 'Notes of agent-a', 'A.', '', '{}', 1, 'agent-a', NULL, NULL), (11, 'notes', 'fact', 'Notes', 'H.', '', '{}', 2, '', '2026-01-01T00:00:00Z', NULL),
 (12, 'old', 'concept', 'Old', 'Old.', '', '{}', 1, '', NULL, 13), (13, 'new', 'concept', 'New', 'New.', '', '{}', 1, '', NULL, NULL),
 (14, 'c1', 'concept', 'C1', 'C1.', '', '{}', 1, '', NULL, 15), (15, 'c2', 'concept', 'C2', 'C2.', '', '{}', 1, '', NULL, 14),
 (16, '../x', 'concept', 'X', 'X.', '', '{', 1, '', NULL, NULL), (17, '/etc/.git/config', 'concept', '', 'Y.', '', '', 1, '', NULL, NULL),
 (18, '..', 'concept', '', 'A secret: AKIAIOSFODNN7EXAMPLQ', '', '{}', 1, '', NULL, NULL);
INSERT INTO links (id, from_page_id, to_page_id, relationship, context, source_kind) VALUES (10, 1, 11, 'documented_in', '', 'programmatic'), (11, 2, 1, 'founder', '', 'frontmatter');
INSERT INTO assertions VALUES (30, 12, 'Kiln', 'has', 'two doors', '2020', NULL, 31, 1, 'manual', '', '', ''), (31, 16, 'Kiln', 'has', 'one door', '2019', NULL, NULL, 1, 'manual', '', '', '');
`

// Write makes a database.
func Write(ctx context.Context, file string, s Shape) (err error) {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for statement := range strings.SplitSeq(quaidtestTables(s)+rows, ";\n") {
		var args []any
		if strings.Contains(statement, "?1") {
			args = append(args, Ada)
		}
		if _, err := db.ExecContext(ctx, statement, args...); err != nil {
			return err
		}
	}
	if s == Disputed {
		if _, err := db.ExecContext(ctx, disputed); err != nil {
			return err
		}
	}
	if s == Plain || s == Disputed {
		_, err = db.ExecContext(ctx, "INSERT INTO config VALUES ('version', '4')")
		return err
	}
	if _, err := db.ExecContext(ctx, grouped); err != nil {
		return err
	}
	if s == Long {
		_, err = db.ExecContext(ctx, "UPDATE pages SET compiled_truth = compiled_truth || char(10, 10) || replace(hex(zeroblob(25000)), '00', 'kilns and glazes, clay and cones' || char(10))")
	}
	if s == Newer {
		_, err = db.ExecContext(ctx, "CREATE TABLE moods (mood TEXT); INSERT INTO moods VALUES ('fine'); CREATE TABLE quaid_config (key TEXT, value TEXT); INSERT INTO quaid_config VALUES ('schema_version', '99')")
	}
	return err
}

// Many makes a database with n additional pages of the text said, each with data, a tag, a
// link and its original file.
func Many(ctx context.Context, file string, n int, said string) (err error) {
	if err := Write(ctx, file, Plain); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	numbers := "WITH RECURSIVE of(i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM of WHERE i < 100 + ?1) SELECT "
	for _, insert := range []string{
		"pages (id, slug, type, title, compiled_truth, timeline, frontmatter) " + numbers + "i, 'many/page-' || i, 'concept', 'Page ' || i, ?2 || i, '', '{}' FROM of",
		"raw_imports (id, page_id, import_id, is_active, raw_bytes, file_path) " + numbers + "i, i, 'b3', 1, CAST(?2 || i AS BLOB), '' FROM of",
		"raw_data (id, page_id, source, data, fetched_at) " + numbers + "i, i, 'source', json_object('said', substr(?2, 1, 1000)), '' FROM of",
		"tags (id, page_id, tag) " + numbers + "i, i, 'many' FROM of WHERE ?2 != ''",
		"links (id, from_page_id, to_page_id, relationship) " + numbers + "i, i, 201 + ?1 - i, 'knows' FROM of WHERE ?2 != ''",
	} {
		if _, err := db.ExecContext(ctx, "INSERT INTO "+insert, n, said); err != nil {
			return err
		}
	}
	return nil
}

// Add adds pages with these slugs, each with its slug as text.
func Add(ctx context.Context, file string, slugs ...string) (err error) {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, slug := range slugs {
		if _, err := db.ExecContext(ctx, "INSERT INTO pages (slug, type, title, compiled_truth, timeline, frontmatter) VALUES (?1, 'concept', ?1, ?1, '', '{}')", slug); err != nil {
			return err
		}
	}
	return nil
}

// Log opens a database, writes a page that stays in its log, and keeps the database open.
func Log(ctx context.Context, file string) (closeIt func() error, err error) {
	db, err := sql.Open("sqlite", file+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)")
	if err != nil {
		return nil, err
	}
	_, err = db.ExecContext(ctx, "INSERT INTO pages (id, slug, type, title, compiled_truth, timeline, frontmatter) VALUES (50, 'late', 'concept', 'Late', 'In the log.', '', '{}')")
	return db.Close, err
}
