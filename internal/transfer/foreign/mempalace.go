package foreign

import (
	"context"
	"database/sql"
	"encoding/json"
	"path"
	"path/filepath"
	"strings"
)

// MemPalace reads the databases of MemPalace: drawers in a database of Chroma or of its own
// SQLite backend, and the knowledge graph.
type MemPalace struct{}

// The databases of MemPalace.
const (
	palaceChroma = "chroma.sqlite3"
	palaceExact  = "sqlite_exact.sqlite3"
	palaceGraph  = "knowledge_graph.sqlite3"
)

// Drawer is a piece of text in MemPalace.
type Drawer struct {
	ID, Text string

	Wing     string  `json:"wing"`
	Room     string  `json:"room"`
	Hall     string  `json:"hall"`
	Source   string  `json:"source_file"`
	Author   string  `json:"added_by"`
	Filed    string  `json:"filed_at"`
	Mode     string  `json:"ingest_mode"` // "registry" for a marker without text
	Parent   string  `json:"parent_drawer_id"`
	Entry    string  `json:"parent_entry_id"`
	Position float64 `json:"chunk_index"`
}

// Belongs returns the value that the drawers of one text share.
func (d Drawer) Belongs() string {
	for _, key := range []string{d.Parent, d.Entry, d.Source} {
		if key != "" {
			return key
		}
	}
	return d.ID
}

// Triple is a relation of an entity of the knowledge graph.
type Triple struct{ Predicate, Object, From, To string }

// Entity is an entity of the knowledge graph, with its relations.
type Entity struct {
	ID, Name, Type, Created string

	Triples []Triple
}

// Has reports whether a file is a database of MemPalace.
func (MemPalace) Has(ctx context.Context, file string) bool {
	query := ""
	switch strings.ToLower(path.Base(filepath.ToSlash(file))) {
	case palaceChroma: // other programs use Chroma, too
		query = "SELECT 1 FROM embedding_metadata WHERE key = 'wing' LIMIT 1"
	case palaceExact:
		query = "SELECT 1 FROM documents WHERE json_extract(metadata_json, '$.wing') IS NOT NULL LIMIT 1"
	case palaceGraph:
		query = "SELECT 1 FROM triples LIMIT 1"
	default:
		return false
	}
	found := false
	err := read(ctx, file, "MemPalace", func(db *reading) error {
		return db.each(ctx, query, func(*sql.Rows) error { found = true; return nil })
	})
	return err == nil && found
}

// Drawers calls do with each drawer of a file. Those of one text are consecutive and in
// order.
func (MemPalace) Drawers(ctx context.Context, file string, do func(Drawer) error) error {
	var query string
	const fields = `'wing', 'room', 'hall', 'source_file', 'added_by', 'filed_at', 'ingest_mode', 'parent_drawer_id', 'parent_entry_id', 'chunk_index'`
	switch strings.ToLower(path.Base(filepath.ToSlash(file))) {
	case palaceChroma:
		query = `SELECT e.embedding_id, coalesce((SELECT string_value FROM embedding_metadata t WHERE t.id = e.id AND t.key = 'chroma:document'), ''), m.facts
			FROM embeddings e JOIN segments s ON s.id = e.segment_id JOIN collections c ON c.id = s.collection
			JOIN (SELECT id, json_group_object(key, coalesce(string_value, int_value, float_value)) facts FROM embedding_metadata WHERE key IN (` + fields + `) GROUP BY id) m ON m.id = e.id
			WHERE c.name NOT LIKE '%closets'`
	case palaceExact:
		query = `SELECT d.id, d.document, d.metadata_json FROM documents d JOIN collections c ON c.id = d.collection_id WHERE c.name NOT LIKE '%closets'`
	default:
		return nil
	}
	query = `WITH d(id, text, facts) AS (` + query + `) SELECT id, text, facts FROM d ORDER BY json_extract(facts, '$.wing'), json_extract(facts, '$.room'),
		coalesce(nullif(json_extract(facts, '$.parent_drawer_id'), ''), nullif(json_extract(facts, '$.parent_entry_id'), ''), nullif(json_extract(facts, '$.source_file'), ''), id),
		json_extract(facts, '$.chunk_index'), id`
	return read(ctx, file, "MemPalace", func(db *reading) error {
		return db.each(ctx, query, func(rows *sql.Rows) error {
			var d Drawer
			var facts string
			if err := rows.Scan(&d.ID, &d.Text, &facts); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(facts), &d); err != nil {
				return err
			}
			return do(d)
		})
	})
}

// Entities calls do with each entity of a file, if it is a knowledge graph.
func (MemPalace) Entities(ctx context.Context, file string, do func(Entity) error) error {
	if !strings.EqualFold(path.Base(filepath.ToSlash(file)), palaceGraph) {
		return nil
	}
	const query = `SELECT e.id, e.name, coalesce(e.type, ''), coalesce(e.created_at, ''),
		coalesce(t.predicate, ''), coalesce(t.object, ''), coalesce(t.valid_from, ''), coalesce(t.valid_to, '')
		FROM entities e LEFT JOIN triples t ON t.subject = e.id ORDER BY e.id, t.extracted_at, t.id`
	var last Entity
	flush := func() error {
		if last.ID == "" {
			return nil
		}
		return do(last)
	}
	err := read(ctx, file, "MemPalace", func(db *reading) error {
		return db.each(ctx, query, func(rows *sql.Rows) error {
			var e Entity
			var t Triple
			if err := rows.Scan(&e.ID, &e.Name, &e.Type, &e.Created, &t.Predicate, &t.Object, &t.From, &t.To); err != nil {
				return err
			}
			if e.ID != last.ID {
				if err := flush(); err != nil {
					return err
				}
				last = e
			}
			if t.Predicate != "" {
				last.Triples = append(last.Triples, t)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return flush()
}
