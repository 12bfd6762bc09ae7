package write

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// checkPageNames refuses a second page of one name in the spaces where links name pages and
// not their paths: no link could lead to either of the two.
func (s *changeSet) checkPageNames(ctx context.Context) error {
	if s.restores() {
		return nil
	}
	will := map[pageName][]*target{} // the pages of the set, as they will be
	var renamed []*target
	for _, t := range s.docs {
		if !doc.SyntaxOf(t.space.Syntax).Named || t.gone || !t.exists() && t.put == nil {
			continue
		}
		name := s.pageName(t, t.to, t.new)
		key := pageName{t.space.Row, strings.ToLower(name)}
		will[key] = append(will[key], t)
		if name != "" && (!t.exists() || t.textChanged() && name != s.pageName(t, t.path, t.old)) {
			renamed = append(renamed, t)
		}
	}
	for _, t := range renamed {
		name := s.pageName(t, t.to, t.new)
		other, err := s.pageNamed(ctx, t, name)
		if err != nil {
			return err
		}
		for _, o := range will[pageName{t.space.Row, strings.ToLower(name)}] {
			if o != t {
				other = o.to
			}
		}
		if other != "" {
			return kb.Errorf(kb.Conflict, "%s has the page name %q already", other, name).
				WithHint("Nothing was written. Links name pages, not files: give one of the two another name.").With("path", other)
		}
	}
	return nil
}

// pageName is a name in a space, in lower case.
type pageName struct {
	space int64
	name  string
}

// pageName is the name of a document with this text at a path.
func (s *changeSet) pageName(t *target, path string, text []byte) string {
	return doc.ForNote(s.w.Codecs, t.space.Syntax, path).Parse(path, text).Nodes[0].Title
}

// pageNamed returns the path of a page of the space that has a name and is not in the set,
// "" for none.
func (s *changeSet) pageNamed(ctx context.Context, t *target, name string) (path string, err error) {
	key := kb.NameKey(name)
	err = s.w.Memory.View(ctx, func(tx store.Tx) error {
		pages, err := tx.Pages().ByNames(ctx, t.space.Row, []string{key})
		if err != nil {
			return err
		}
		for _, p := range pages[key] {
			in := slices.ContainsFunc(s.docs, func(o *target) bool { return o.space.Row == t.space.Row && o.path == p.Path })
			if p.Node == "" && !in && strings.EqualFold(p.Title, name) {
				path = p.Path
			}
		}
		return nil
	})
	return path, err
}
