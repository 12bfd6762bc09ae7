package main

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"unicode"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// plainFTS5 is what a program gets that puts the notes into a full-text table
// of SQLite as they are: the tokenizer porter, which stems, any of the query's
// words, and bm25() with its defaults.
type plainFTS5 struct{ db *sql.DB }

// newPlainFTS5 indexes the notes of a set in memory.
func newPlainFTS5(ctx context.Context, s *set) (_ *plainFTS5, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection would have a memory of its own
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	if _, err := db.ExecContext(ctx, `CREATE VIRTUAL TABLE notes USING fts5(text, path UNINDEXED, tokenize = 'porter unicode61')`); err != nil {
		return nil, err
	}
	for _, n := range s.notes {
		if _, err := db.ExecContext(ctx, `INSERT INTO notes (text, path) VALUES (?, ?)`, string(n.text), n.path); err != nil {
			return nil, err
		}
	}
	return &plainFTS5{db}, nil
}

// find returns the paths of the best notes, best first.
func (p *plainFTS5) find(ctx context.Context, text string) (_ []string, err error) {
	match := anyWord(text)
	if match == "" {
		return nil, nil
	}
	rows, err := p.db.QueryContext(ctx, `SELECT path FROM notes WHERE notes MATCH ? ORDER BY bm25(notes), rowid LIMIT ?`, match, retrieved)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var paths []string
	for rows.Next() {
		var path string
		if err := rows.Scan(&path); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, rows.Err()
}

// anyWord is the query of FTS5 for any word of a text. Quoted, no word is an
// operator.
func anyWord(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for i, w := range words {
		words[i] = `"` + w + `"`
	}
	return strings.Join(words, " OR ")
}
