package postgres

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

var dialect = &relational.Dialect{
	Far:        true,
	NoBytes:    "''::bytea",
	LastBundle: "SELECT bundle FROM meta",
	Behind: `CASE WHEN p.as_of = '' THEN p.timeline_updated - p.truth_updated ELSE (
  CASE WHEN EXISTS (SELECT 1 FROM entries e WHERE e.row BETWEEN p.row << 24 AND (p.row << 24 | 16777215))
  THEN (SELECT day_number(max(substr(e.date || '-01-01', 1, 10))) FROM entries e
        WHERE e.row BETWEEN p.row << 24 AND (p.row << 24 | 16777215) AND substr(e.date || '-01-01', 1, 10) <= ?)
  ELSE div(p.timeline_updated, 86400000000)::integer END
  - last_day_number(p.as_of)) * 86400000000 END`,
	Numbers:  func(table string) string { return "unnest(?::bigint[]) AS " + table + "(value)" },
	Texts:    func(table string) string { return "unnest(?::text[]) AS " + table + "(value)" },
	Joined:   func(column string) string { return "string_agg((" + column + ")::text, ',')" },
	Contains: func(column string) string { return "strpos(" + column + ", ?) > 0" },
	BeyondASCII: func(column string) string {
		return "octet_length(" + column + ") > 1 AND octet_length(" + column + ") <> length(encode(" + column + ", 'escape'))"
	},
	Shaped: func(column, pattern string) string {
		return column + " ~ '" + shape(pattern) + "'"
	},
	Globbed: func(column, pattern string) (condition, argument string) {
		return column + " ~ ?", shape(pattern)
	},
	PathMatches: func(column, pattern string) (condition, argument string, err error) {
		argument, err = glob.POSIX(pattern)
		return "normalize(" + column + ", NFC) ~ ?", argument, err
	},
	Renumber: func(table, key string) string {
		return "SELECT setval(pg_get_serial_sequence('" + table + "', '" + key + "'), (SELECT max(" + key + ") FROM " + table + "))"
	},
	// A table that somebody works on is left out, rather than waited for.
	Count:   func() string { return "ANALYZE (SKIP_LOCKED) " + strings.Join(relational.Tables(), ", ") },
	Refused: func(err error) bool { return len(state(err)) == 5 && state(err)[:2] == "23" },
}

// shape is the regular expression for a pattern of SQLite's GLOB: * and ? match slashes too.
func shape(pattern string) string {
	out := []byte("^")
	class := false
	for i := range len(pattern) {
		switch c := pattern[i]; {
		case class:
			class = c != ']' || pattern[i-1] == '['
			if c == '[' || c == '\\' {
				out = append(out, '\\')
			}
			out = append(out, c)
		case c == '[':
			class = true
			out = append(out, c)
		case c == '*':
			out = append(out, ".*"...)
		case c == '?':
			out = append(out, '.')
		case c < 0x80 && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != 0:
			out = append(out, '\\', c)
		default:
			out = append(out, c)
		}
	}
	return string(append(out, '$'))
}

// state is the SQLSTATE of an error, "" for none.
func state(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
