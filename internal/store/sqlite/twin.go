package sqlite

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Twin looks at one directory after the other on the way to path, for as long
// as they have documents as they are spelled. What comes after is new here, so
// that whatever folds to it is spelled differently.
func (d documents) Twin(ctx context.Context, space int64, path string, except []int64) (string, error) {
	for at := 0; ; {
		slash := strings.IndexByte(path[at:], '/')
		if slash < 0 {
			return d.folded(ctx, space, path, except)
		}
		dir := path[:at+slash]
		// "0" is the byte after "/".
		known, err := d.first(ctx, except, "SELECT row, path FROM documents WHERE space = ? AND path > ? AND path < ?",
			space, dir+"/", dir+"0")
		if err != nil {
			return "", err
		}
		if known == "" {
			return d.folded(ctx, space, dir, except)
		}
		at += slash + 1
	}
}

// folded returns a document that is name, or is in it, but for the spelling.
func (d documents) folded(ctx context.Context, space int64, name string, except []int64) (string, error) {
	fold := kb.FoldPath(name)
	twin, err := d.first(ctx, except, "SELECT row, path FROM documents WHERE space = ? AND path_fold = ? AND path <> ?",
		space, fold, name)
	if twin != "" || err != nil {
		return twin, err
	}
	return d.first(ctx, except, "SELECT row, path FROM documents WHERE space = ? AND path_fold > ? AND path_fold < ?",
		space, fold+"/", fold+"0")
}

// first returns the path of the first document that a query of row and path
// finds besides the rows in except.
func (d documents) first(ctx context.Context, except []int64, sql string, args ...any) (string, error) {
	found := ""
	err := d.t.query(ctx, sql, args, func(r row) error {
		if slices.Contains(except, r.int(0)) {
			return nil
		}
		found = r.text(1)
		return errStop
	})
	return found, err
}
