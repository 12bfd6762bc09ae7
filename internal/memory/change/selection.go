package change

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// chosen is a selected page.
type chosen struct {
	kb.Page
	space *write.Space
	part  string // selected heading or "^block", "" for the whole page
	dir   string // the selected directory that contains it, "" for none
}

// name returns a ref that only this page has.
func (p chosen) name() string {
	if p.Node != "" {
		return p.Ref()
	}
	return p.Space + ":" + p.Path
}

// selected finds the pages of a request.
func selected(ctx context.Context, sess *memory.Session, req Request) ([]chosen, error) {
	if (req.Where == nil) == (len(req.Refs) == 0) {
		return nil, kb.Errorf(kb.Usage, "name the pages, or say which, but not both")
	}
	if req.Where != nil {
		return selectedWhere(ctx, sess, req)
	}
	var out []chosen
	type part struct {
		page int64
		of   string
	}
	seen := map[part]bool{}
	for _, raw := range req.Refs {
		found, err := selectedBy(ctx, sess, raw, req.Steps)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			if at := (part{p.Row, p.part}); !seen[at] {
				seen[at] = true
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// whole reports whether steps apply to documents as a whole.
func whole(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool {
		switch s.(type) {
		case MoveStep, DeleteStep:
			return true
		}
		return false
	})
}

// selectedBy finds the page of a ref; for moves and deletions, also the pages below
// a directory of that name.
func selectedBy(ctx context.Context, sess *memory.Session, raw string, steps []Step) ([]chosen, error) {
	if !whole(steps) {
		p, err := findPage(ctx, sess, raw)
		return []chosen{p}, err
	}
	if strings.HasSuffix(raw, "/") {
		if found, err := belowRef(ctx, sess, raw); len(found) > 0 || err != nil {
			return found, err
		}
	}
	p, err := findPage(ctx, sess, raw)
	switch {
	case err == nil && p.Node != "":
		return nil, PartOf(p.Page)
	case err == nil:
		below, err := belowRef(ctx, sess, raw)
		if err == nil && len(below) > 0 && !namedByPath(raw, p.Page) {
			err = twoNamed(raw, p.Page, below)
		}
		return []chosen{p}, err
	}
	if kb.CodeOf(err) != kb.NotFound && kb.CodeOf(err) != kb.Usage {
		return nil, err
	}
	found, dirErr := belowRef(ctx, sess, raw)
	if dirErr != nil || len(found) > 0 {
		return found, dirErr
	}
	return nil, err
}

// namedByPath reports whether a ref is the slug, path or id of a page, and not a
// title or the last part of its path.
func namedByPath(raw string, p kb.Page) bool {
	name := strings.TrimPrefix(raw, p.Space+":")
	file := strings.TrimSuffix(p.Path, path.Ext(p.Path))
	return slices.Contains([]string{p.Slug, p.Path, file, string(p.ID)}, name) || strings.EqualFold(name, p.Slug)
}

// twoNamed is the error for a name that a directory and a page elsewhere share.
func twoNamed(raw string, p kb.Page, below []chosen) error {
	dir := below[0].dir + "/"
	return kb.Errorf(kb.Ambiguous, "%q is the directory %s with %s, and the page %s", raw, dir, api.Plural(len(below), "page"), p.Path).
		WithHint("Nothing was changed. End the directory in a slash, or name the page by its path.").With("candidates", []string{dir, p.Path})
}

// findPage finds the page, or the part of a page, of a ref.
func findPage(ctx context.Context, sess *memory.Session, raw string) (chosen, error) {
	named, home, err := freshness.FindToChange(ctx, sess, raw)
	if err != nil {
		return chosen{}, err
	}
	s, err := sess.Spaces.OpenSpace(ctx, home)
	return chosen{Page: named.Page, part: named.Part, space: s}, err
}

// wholePage rejects operations on a part of a page that apply to the page as a
// whole.
func wholePage(p kb.Page, part string) error {
	return kb.Errorf(kb.Usage, "this changes a page as a whole, and the ref names a part of %s: %s", p.Ref(), part).
		WithHint("Name the page without #%s, or edit the part.", part)
}

// PartOf rejects operations on a heading that apply to a document as a whole.
func PartOf(p kb.Page) error {
	return kb.Errorf(kb.Usage, "%s is a heading within %s", p.Ref(), p.Path).
		WithHint("Edit it, or name the file for what concerns the whole of it.")
}

// belowRef returns the documents below the directory of a ref, none if it does not
// exist. Without a current space it searches all spaces.
func belowRef(ctx context.Context, sess *memory.Session, raw string) ([]chosen, error) {
	var (
		out  []chosen
		home kb.Space
	)
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := sess.Spaces.AllTx(ctx, tx)
		if err != nil {
			return err
		}
		r := ref.Parse(raw, all)
		dir := cleanDir(r.Name)
		if dir == "" {
			return nil
		}
		if s := sess.Refs.Home(ctx, tx, all, r.Space); s.Row != 0 {
			all = []kb.Space{s}
		}
		for _, s := range all {
			pages, err := documentsBelow(ctx, tx, s, dir)
			if err != nil {
				return err
			}
			if len(pages) > 0 && len(out) > 0 {
				return kb.Errorf(kb.Ambiguous, "the directory %s is in several spaces", dir).WithHint("Nothing was changed. Say in which.").
					With("candidates", []string{home.Name + ":" + dir + "/", s.Name + ":" + dir + "/"})
			}
			for _, p := range pages {
				home = s
				out = append(out, chosen{Page: p, dir: dirAt(p.Path, dir)})
			}
		}
		return nil
	})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	space, err := sess.Spaces.OpenSpace(ctx, home)
	for i := range out {
		out[i].space = space
	}
	return out, err
}

// cleanDir normalises a directory to the form of paths within a space, "" for the
// top. A directory outside of the space, or an absolute path, matches no document.
func cleanDir(dir string) string {
	if dir = path.Clean(dir); dir == "." || dir == "/" {
		return ""
	}
	return dir
}

// dirAt returns the directory in the spelling of a path below it, "" if the path is
// not below.
func dirAt(p, dir string) string {
	parts := strings.Split(p, "/")
	n := strings.Count(dir, "/") + 1
	if len(parts) <= n {
		return ""
	}
	return strings.Join(parts[:n], "/")
}

// documentsBelow lists the documents below a directory.
func documentsBelow(ctx context.Context, tx store.Tx, home kb.Space, dir string) ([]kb.Page, error) {
	f := store.Filter{Spaces: []int64{home.Row}, Paths: []string{glob.Escape(dir) + "/**"}}
	pages, _, err := tx.Pages().List(ctx, f, store.BySlug, api.Limit(0), 0)
	return slices.DeleteFunc(pages, func(p kb.Page) bool { return p.Node != "" }), err
}

// selectedWhere finds the pages that meet the conditions.
func selectedWhere(ctx context.Context, sess *memory.Session, req Request) ([]chosen, error) {
	f := *req.Where
	if len(f.Types)+len(f.Tags)+len(f.AllTags)+len(f.Statuses)+len(f.Paths)+len(f.Where) == 0 && f.After.IsZero() && f.Before.IsZero() {
		return nil, kb.Errorf(kb.Usage, "nothing says which pages").WithHint("Narrow them by path, tag or type.")
	}
	var (
		home  kb.Space
		pages []kb.Page
	)
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		if home, err = sess.Spaces.CurrentTx(ctx, tx); err != nil {
			return err
		}
		f.Spaces = []int64{home.Row}
		pages, _, err = tx.Pages().List(ctx, f, store.BySlug, api.Limit(0), 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	dir := ""
	if len(req.Below) == 1 && !query.IsGlob(req.Below[0]) {
		dir = cleanDir(strings.Trim(req.Below[0], "/"))
	}
	if whole(req.Steps) {
		pages = slices.DeleteFunc(pages, func(p kb.Page) bool { return p.Node != "" })
	}
	if len(pages) == 0 {
		return nil, kb.Errorf(kb.NotFound, "no page in %s meets that: nothing was changed", home.Name)
	}
	space, err := sess.Spaces.OpenSpace(ctx, home)
	out := make([]chosen, len(pages))
	for i, p := range pages {
		out[i] = chosen{Page: p, space: space}
		if dir != "" {
			out[i].dir = dirAt(p.Path, dir)
		}
	}
	return out, err
}
