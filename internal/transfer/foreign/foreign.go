package foreign

import (
	"database/sql"
	"net/url"
	"path/filepath"
)

// Open opens the database in a file for reading. With unchanging, nothing is
// locked and no file is created next to it; a database with a write-ahead log
// must not be opened so, even if nobody has it open, since its log would be
// ignored.
func Open(file string, unchanging bool) (*sql.DB, error) {
	query := "mode=ro&_pragma=trusted_schema(0)"
	if unchanging {
		query = "immutable=1&" + query
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: query}
	return sql.Open("sqlite", name.String())
}
