package foreigntest

import (
	"path/filepath"
	"testing"
)

// MemPalace writes the databases of MemPalace into a directory: drawers of a file, of a note and of
// an agent in the database of Chroma, and a knowledge graph.
func MemPalace(t *testing.T, dir string) {
	t.Helper()
	run(t, filepath.Join(dir, "chroma.sqlite3"), `
CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL, dimension INTEGER, database_id TEXT NOT NULL);
CREATE TABLE segments (id TEXT PRIMARY KEY, type TEXT NOT NULL, scope TEXT NOT NULL, collection TEXT NOT NULL);
CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL, embedding_id TEXT NOT NULL, seq_id BLOB NOT NULL, created_at TIMESTAMP);
CREATE TABLE embedding_metadata (id INTEGER, key TEXT NOT NULL, string_value TEXT, int_value INTEGER, float_value REAL, bool_value INTEGER, PRIMARY KEY (id, key));
INSERT INTO collections VALUES ('c1', 'mempalace_drawers', 384, 'd'), ('c2', 'mempalace_closets', 384, 'd');
INSERT INTO segments VALUES ('s1', 'urn:chroma:segment/metadata/sqlite', 'METADATA', 'c1'), ('s2', 'urn:chroma:segment/metadata/sqlite', 'METADATA', 'c2');
INSERT INTO embeddings (id, segment_id, embedding_id, seq_id) VALUES (1, 's1', 'drawer_1', 1), (2, 's1', 'drawer_0', 2), (3, 's1', 'drawer_m', 3), (4, 's1', '_reg_1', 4), (5, 's2', 'closet', 5);
INSERT INTO embedding_metadata (id, key, string_value) VALUES
 (1, 'chroma:document', 'and it is never opened hot. See [[clay.md]].'), (1, 'wing', 'pottery'), (1, 'room', 'kiln'), (1, 'source_file', '/home/ada/firing.md'), (1, 'added_by', 'ada'), (1, 'filed_at', '2026-04-02T10:00:00.123456'),
 (2, 'chroma:document', '# Firing' || char(10, 10) || 'The kiln fires slowly and it is never opened hot'), (2, 'wing', 'pottery'), (2, 'room', 'kiln'), (2, 'source_file', '/home/ada/firing.md'), (2, 'added_by', 'ada'), (2, 'filed_at', '2026-04-01T10:00:00.123456'), (2, 'hall', 'hall_facts'),
 (3, 'chroma:document', 'Clay from the river is red.'), (3, 'wing', 'pottery'), (3, 'room', 'clay'), (3, 'source_file', ''), (3, 'added_by', 'mcp'), (3, 'filed_at', '2026-04-03T10:00:00'),
 (4, 'chroma:document', '[registry] x'), (4, 'wing', 'pottery'), (4, 'room', '_registry'), (4, 'ingest_mode', 'registry'),
 (5, 'chroma:document', 'firing|ada|→drawer_0'), (5, 'wing', 'pottery');
INSERT INTO embedding_metadata (id, key, int_value) VALUES (1, 'chunk_index', 1), (2, 'chunk_index', 0), (3, 'chunk_index', 0);`)
	run(t, filepath.Join(dir, "knowledge_graph.sqlite3"), `
CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT DEFAULT 'unknown', properties TEXT DEFAULT '{}', created_at TEXT DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE triples (id TEXT PRIMARY KEY, subject TEXT NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL, valid_from TEXT, valid_to TEXT, confidence REAL DEFAULT 1.0,
 source_closet TEXT, source_file TEXT, source_drawer_id TEXT, adapter_name TEXT, extracted_at TEXT DEFAULT CURRENT_TIMESTAMP);
INSERT INTO entities VALUES ('max', 'Max', 'person', '{}', '2026-04-01 10:00:00'), ('ada_l', 'Ada L', 'unknown', '{}', '2026-04-01 10:00:00');
INSERT INTO triples (id, subject, predicate, object, valid_from, valid_to) VALUES
 ('t1', 'max', 'child_of', 'ada_l', '2015-04-01', NULL), ('t2', 'max', 'works_with', 'ada_l', '2025-01-01T00:00:00Z', '2026-02-15');`)
}

// MemPalaceExact writes the database of MemPalace's own backend, with one text in two drawers.
func MemPalaceExact(t *testing.T, file string) {
	t.Helper()
	run(t, file, `
CREATE TABLE collections (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, dimension INTEGER, created_at TEXT NOT NULL);
CREATE TABLE documents (collection_id INTEGER NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, metadata_json TEXT NOT NULL, embedding BLOB NOT NULL, dim INTEGER NOT NULL,
 created_at TEXT NOT NULL, updated_at TEXT NOT NULL, PRIMARY KEY (collection_id, id));
INSERT INTO collections (name, created_at) VALUES ('mempalace_drawers', '2026');
INSERT INTO documents VALUES
 (1, 'd_chunk_000001', 'Second.', '{"chunk_index":1,"filed_at":"2026-04-01T10:00:00+00:00","parent_drawer_id":"d","room":"notes","wing":"work"}', x'00', 1, '2026', '2026'),
 (1, 'd_chunk_000000', 'First.', '{"chunk_index":0,"filed_at":"2026-04-01T10:00:00+00:00","parent_drawer_id":"d","room":"notes","wing":"work"}', x'00', 1, '2026', '2026');`)
}
