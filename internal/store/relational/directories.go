package relational

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/store"
)

// directories implements store.Directories.
type directories struct{ t *Tx }

var _ store.Directories = directories{}

// here is the own page of a document that is directly in the directory.
type here struct {
	row  int64
	slug string
}

// Below implements store.Directories.
func (d directories) Below(ctx context.Context, space int64, dir string) (store.Directory, error) {
	spelled, err := d.spelled(ctx, space, dir)
	if err != nil {
		return store.Directory{}, err
	}
	// Each document has a page, so without further pages the numbers are equal.
	from := "documents d"
	err = d.t.query(ctx, "SELECT 1 FROM pages WHERE space = ? AND node <> '' LIMIT 1", []any{space}, func(Row) error {
		from += " CROSS JOIN pages p ON p.document = d.row"
		return nil
	})
	if err != nil {
		return store.Directory{}, err
	}
	counts := map[string]int{}
	var pages []here
	for _, prefix := range spelled {
		if pages, err = d.below(ctx, space, prefix, from, counts, pages); err != nil {
			return store.Directory{}, err
		}
	}
	var out store.Directory
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out.Directories = append(out.Directories, store.Subdirectory{Name: name, Pages: counts[name]})
	}
	slices.SortFunc(pages, func(a, b here) int { return cmp.Or(cmp.Compare(a.slug, b.slug), cmp.Compare(a.row, b.row)) })
	for _, p := range pages {
		out.Pages = append(out.Pages, p.row)
	}
	return out, nil
}

// spelled returns the spellings of a directory in the space with the same normal form C. A
// directory of ASCII letters has only one.
func (d directories) spelled(ctx context.Context, space int64, dir string) ([]string, error) {
	if !strings.ContainsFunc(dir, func(r rune) bool { return r >= 0x80 }) {
		return []string{dir}, nil
	}
	seen := map[string]bool{}
	cond, arg, err := d.t.d.PathMatches("path", glob.Escape(norm.NFC.String(dir))+"**")
	if err != nil {
		return nil, err
	}
	err = d.t.query(ctx, "SELECT path FROM documents WHERE space = ? AND "+cond, []any{space, arg}, func(r Row) error {
		end, path := 0, r.Text(0)
		for range strings.Count(dir, "/") {
			end += strings.IndexByte(path[end:], '/') + 1
		}
		seen[path[:end]] = true
		return nil
	})
	return slices.Sorted(maps.Keys(seen)), err
}

// below reads the documents directly in a directory in path order. At the first document in
// a subdirectory it skips to the end of that subdirectory, and counts its pages in the table
// counted without reading them.
func (d directories) below(ctx context.Context, space int64, prefix, counted string, counts map[string]int, pages []here) ([]here, error) {
	for from := prefix; ; {
		sub := ""
		err := d.t.query(ctx, `SELECT d.path, p.row, p.slug FROM documents d CROSS JOIN pages p ON p.document = d.row AND p.node = ''
WHERE d.space = ? AND d.path >= ? ORDER BY d.path`, []any{space, from}, func(r Row) error {
			rest, is := strings.CutPrefix(r.Text(0), prefix)
			if !is {
				return ErrStop
			}
			if name, _, nested := strings.Cut(rest, "/"); nested {
				sub = name
				return ErrStop
			}
			pages = append(pages, here{row: r.Int(1), slug: r.Text(2)})
			return nil
		})
		if err != nil && !errors.Is(err, ErrStop) {
			return nil, err
		}
		if sub == "" {
			return pages, nil
		}
		// "0" is the byte after "/".
		from = prefix + sub + "0"
		err = d.t.query(ctx, "SELECT count(*) FROM "+counted+" WHERE d.space = ? AND d.path > ? AND d.path < ?",
			[]any{space, prefix + sub + "/", from}, func(r Row) error {
				counts[sub] += r.Num(0)
				return nil
			})
		if err != nil {
			return nil, err
		}
	}
}
