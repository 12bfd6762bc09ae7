package foreign

import (
	"database/sql"
	"net/url"
	"path/filepath"
)

// Open opens the database in a file to be read. Of one that is unchanging nothing is
// locked, and no file is made beside it; one with a write-ahead log is not, even where
// nobody has it open, since its log would be passed over.
func Open(file string, unchanging bool) (*sql.DB, error) {
	query := "mode=ro&_pragma=trusted_schema(0)"
	if unchanging {
		query = "immutable=1&" + query
	}
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: query}
	return sql.Open("sqlite", name.String())
}
