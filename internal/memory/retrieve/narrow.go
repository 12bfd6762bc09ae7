package retrieve

import (
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// Narrow limits a search in addition to the words of its query, as the filters of the
// query language do.
type Narrow struct {
	Types, Tags, Statuses, Paths []string
	Wings                        []string
	Permalinks                   []string // or patterns of permalinks
	InTitle                      []string // the title must hold one of these texts
	Categories                   []string // of observations
	Items                        []string // kinds of results: query.Kinds; none is pages
	Titles                       []string // words that the title must have
	Where                        []string // conditions on properties, see query.ParseWhere
	After, Before                string   // dates or date phrases
}

// apply adds the limits to a query.
func (n Narrow) apply(q *query.Query, now time.Time) error {
	for _, f := range []struct {
		key    query.Key
		values []string
	}{
		{query.Type, n.Types}, {query.Tag, n.Tags}, {query.Status, n.Statuses}, {query.Path, n.Paths}, {query.Wing, n.Wings},
		{query.Permalink, n.Permalinks}, {query.InTitle, n.InTitle}, {query.Category, n.Categories}, {query.Item, n.Items},
		{query.After, some(n.After)}, {query.Before, some(n.Before)},
	} {
		for _, v := range f.values {
			v = strings.TrimSpace(v)
			if v == "" || strings.Contains(v, `"`) {
				return kb.Errorf(kb.Usage, "%s cannot be %q", f.key, v)
			}
			if f.key == query.Item && !slices.Contains(query.Kinds, v) {
				return kb.Errorf(kb.Usage, "there are no items %q", v).WithHint("Items are %s.", strings.Join(query.Kinds, ", "))
			}
			x := query.Filter{Key: f.key, Value: v}
			if f.key == query.After || f.key == query.Before {
				r, ok := query.ParseRange(v, now)
				if !ok {
					return kb.Errorf(kb.Usage, "%s: %q is not a date", f.key, v).
						WithHint("Write one like 2026-03-01, yesterday or last week.")
				}
				x.Time = r.From
			}
			q.Filters = append(q.Filters, x)
		}
	}
	conditions, err := conditionsOf(n.Where, now)
	if err != nil {
		return err
	}
	q.Filters = append(q.Filters, conditions...)
	for _, t := range n.Titles {
		q.Require(&query.Phrase{Text: strings.TrimSpace(strings.ReplaceAll(t, `"`, " ")), Field: query.Title})
	}
	return nil
}

func some(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}
