package relational

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Twins looks up each directory of the paths once.
func (d documents) Twins(ctx context.Context, space int64, paths []string, except map[int64]bool) (map[string]string, error) {
	look := twins{d, space, except, map[string]string{}, map[string]string{}}
	out := map[string]string{}
	for _, path := range paths {
		twin, err := look.of(ctx, path)
		if err != nil {
			return nil, err
		}
		if twin != "" {
			out[path] = twin
		}
	}
	return out, nil
}

// twins is a search for the twins of several paths.
type twins struct {
	documents
	space  int64
	except map[int64]bool
	dirs   map[string]string // a document in a directory with this exact spelling, "" for none
	folds  map[string]string // the twin of a directory without documents
}

// of checks the directories of path from the top, as long as they have documents under this
// spelling. The first one without documents is new, so that an existing path that folds to
// it is spelled differently.
func (t *twins) of(ctx context.Context, path string) (string, error) {
	for at := 0; ; {
		slash := strings.IndexByte(path[at:], '/')
		if slash < 0 {
			return t.folded(ctx, path)
		}
		dir := path[:at+slash]
		known, seen := t.dirs[dir]
		if !seen {
			var err error
			// "0" is the byte after "/".
			if known, err = t.first(ctx, "SELECT row, path FROM documents WHERE space = ? AND path > ? AND path < ?", t.space, dir+"/", dir+"0"); err != nil {
				return "", err
			}
			t.dirs[dir] = known
		}
		if known == "" {
			twin, seen := t.folds[dir]
			var err error
			if !seen {
				twin, err = t.folded(ctx, dir)
				t.folds[dir] = twin
			}
			return twin, err
		}
		at += slash + 1
	}
}

// folded returns a document at or below name in a different spelling.
func (t *twins) folded(ctx context.Context, name string) (string, error) {
	fold := kb.FoldPath(name)
	twin, err := t.first(ctx, "SELECT row, path FROM documents WHERE space = ? AND path_fold = ? AND path <> ?", t.space, fold, name)
	if twin != "" || err != nil {
		return twin, err
	}
	return t.first(ctx, "SELECT row, path FROM documents WHERE space = ? AND path_fold > ? AND path_fold < ?", t.space, fold+"/", fold+"0")
}

// first returns the path of the first document that a query of row and path returns, except
// excluded ones.
func (t *twins) first(ctx context.Context, sql string, args ...any) (string, error) {
	found := ""
	err := t.t.query(ctx, sql, args, func(r Row) error {
		if t.except[r.Int(0)] {
			return nil
		}
		found = r.Text(1)
		return ErrStop
	})
	return found, err
}
