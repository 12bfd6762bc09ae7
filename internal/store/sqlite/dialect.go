package sqlite

import (
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/cairn-kb/cairn/internal/store/relational"
)

var dialect = &relational.Dialect{
	NoBytes:    "x''",
	LastBundle: "SELECT seq FROM sqlite_sequence WHERE name = 'bundles'",
	Behind: `CASE WHEN p.as_of = '' THEN p.timeline_updated - p.truth_updated ELSE (julianday(
  CASE WHEN EXISTS (SELECT 1 FROM entries e WHERE e.row BETWEEN p.row << 24 AND (p.row << 24 | 16777215))
  THEN (SELECT max(substr(e.date || '-01-01', 1, 10)) FROM entries e
        WHERE e.row BETWEEN p.row << 24 AND (p.row << 24 | 16777215) AND substr(e.date || '-01-01', 1, 10) <= ?)
  ELSE date(p.timeline_updated / 1000000, 'unixepoch') END)
  - julianday(CASE length(p.as_of) WHEN 4 THEN p.as_of || '-12-31'
                                   WHEN 7 THEN date(p.as_of || '-01', '+1 month', '-1 day')
                                   ELSE substr(p.as_of, 1, 10) END)) * 86400000000 END`,
	Numbers:  func(table string) string { return "json_each(?) " + table },
	Texts:    func(table string) string { return "json_each(?) " + table },
	Joined:   func(column string) string { return "group_concat(" + column + ")" },
	Contains: func(column string) string { return "instr(" + column + ", ?) > 0" },
	BeyondASCII: func(column string) string {
		return "octet_length(" + column + ") > 1 AND octet_length(" + column + ") <> length(CAST(" + column + " AS TEXT))"
	},
	Shaped: func(column, pattern string) string { return column + " GLOB '" + pattern + "'" },
	Globbed: func(column, pattern string) (condition, argument string) {
		return column + " GLOB ?", pattern
	},
	PathMatches: func(column, pattern string) (condition, argument string, err error) {
		return "path_match(?, " + column + ")", pattern, nil
	},
	Refused: func(err error) bool { return primary(err) == sqlite3.SQLITE_CONSTRAINT },
}
