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
	for _, t := range s.docs {
		if !doc.SyntaxOf(t.space.Syntax).Named || t.gone || t.exists() && !t.renamed || !t.exists() && t.put == nil {
			continue
		}
		name := doc.ForNote(s.w.Codecs, t.space.Syntax, t.to).Parse(t.to, t.new).Nodes[0].Title
		if t.exists() && name == doc.ForNote(s.w.Codecs, t.space.Syntax, t.path).Parse(t.path, t.old).Nodes[0].Title {
			continue
		}
		other, err := s.pageNamed(ctx, t, name)
		if err != nil {
			return err
		}
		if other != "" {
			return kb.Errorf(kb.Conflict, "%s has the page name %q already", other, name).
				WithHint("Nothing was written. Links name pages, not files: give one of the two another name.").With("path", other)
		}
	}
	return nil
}

// pageNamed returns the path of another page of the space that will have a name, "" for none.
func (s *changeSet) pageNamed(ctx context.Context, t *target, name string) (path string, err error) {
	key := kb.NameKey(name)
	err = s.w.Memory.View(ctx, func(tx store.Tx) error {
		pages, err := tx.Pages().ByNames(ctx, t.space.Row, []string{key})
		if err != nil {
			return err
		}
		for _, p := range pages[key] {
			changed := slices.ContainsFunc(s.docs, func(o *target) bool {
				return o.space.Row == t.space.Row && o.path == p.Path && (o.gone || o.renamed)
			})
			if p.Node == "" && p.Path != t.path && !changed && strings.EqualFold(p.Title, name) {
				path = p.Path
			}
		}
		return nil
	})
	return path, err
}
