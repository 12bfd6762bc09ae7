package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// maxNamed is how many pages may be put first because the query is their name.
const maxNamed = 8

// named returns the pages with the query text as their slug, title or alias.
func (s *Search) named(ctx context.Context) ([]candidate, error) {
	text, ok := plainText(s.query.Root)
	if !ok || text == "" {
		return nil, nil
	}
	key := link.Key(string(doc.WikiLink), text)
	if key == "" {
		return nil, nil
	}
	var out []candidate
	for _, space := range s.spaces {
		found, err := s.tx.Pages().ByNames(ctx, space.Row, []string{key})
		if err != nil {
			return nil, err
		}
		for _, p := range found[key] {
			how := howNamed(p, text)
			if how != "" && (s.allowed == nil || s.allowed.Contains(p.Row)) {
				out = append(out, candidate{page: p, name: how})
			}
		}
	}
	slices.SortFunc(out, func(x, y candidate) int { // title, slug, alias
		return cmp.Or(cmp.Compare(y.name, x.name), cmp.Compare(x.page.Ref(), y.page.Ref()))
	})
	return out[:min(len(out), maxNamed)], nil
}

// plainText returns the text of a query that is nothing but words and limits,
// which are met otherwise. Alternatives and beginnings of words name nothing.
func plainText(n query.Node) (string, bool) {
	if query.Limits(n) == n {
		return "", true
	}
	switch n := n.(type) {
	case *query.Word:
		return n.Text, !n.Prefix
	case *query.Phrase:
		return n.Text, true
	case *query.And:
		var parts []string
		for _, m := range n.Nodes {
			t, ok := plainText(m)
			if !ok {
				return "", false
			}
			if t != "" {
				parts = append(parts, t)
			}
		}
		return strings.Join(parts, " "), true
	}
	return "", false
}

func howNamed(p kb.Page, text string) string {
	key := kb.NameKey(text)
	switch {
	case kb.NameKey(p.Title) == key:
		return "title"
	case kb.NameKey(p.Slug) == key, kb.NameKey(p.Slug[strings.LastIndexByte(p.Slug, '/')+1:]) == key:
		return "slug"
	}
	for _, a := range p.Aliases {
		if kb.NameKey(a) == key {
			return "alias"
		}
	}
	return ""
}
