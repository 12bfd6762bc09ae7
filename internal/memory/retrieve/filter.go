package retrieve

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// mayBeAnswered returns the pages that may be answered, regardless of how they are found: those
// that the filters let through and that the words of the query do not exclude.
// nil is all of every space.
func (s *Search) mayBeAnswered(ctx context.Context) (*lexical.IDs, error) {
	rows, err := s.filtered(ctx, s.query.Filters)
	if err != nil {
		return nil, err
	}
	limits := query.Limits(s.query.Root)
	if _, none := limits.(*query.All); none {
		return rows, nil
	}
	met, err := s.engine.Index.Text().Matching(ctx, s.tx.Lexical(), limits, lexical.Options{Allowed: rows, Filter: s.filter})
	if met == nil {
		met = rows
	}
	return met, err
}

// filtered returns the pages that meet the filters next to a query's words;
// nil is all of every space.
func (s *Search) filtered(ctx context.Context, filters []query.Filter) (*lexical.IDs, error) {
	f, apart := s.storeFilter(filters)
	if len(f.Spaces) == 0 {
		return lexical.NewIDs(), nil
	}
	hidden, err := s.hiddenRows(ctx)
	if err != nil {
		return nil, err
	}
	if len(filters)+len(hidden) == 0 {
		all, err := s.tx.Spaces().All(ctx)
		if err != nil || len(s.spaces) == len(all) {
			return nil, err
		}
	}
	if len(hidden)+len(apart) == 0 {
		return pagesMeeting(ctx, s, f)
	}
	rows, err := s.tx.Pages().Rows(ctx, f)
	if err != nil {
		return nil, err
	}
	if len(hidden) > 0 {
		rows = slices.DeleteFunc(rows, func(row int64) bool { return hidden[row] })
	}
	for _, x := range apart {
		if x.Key.InText() {
			if rows, err = s.inText(ctx, rows, x); err != nil {
				return nil, err
			}
			continue
		}
		met, err := s.filter(ctx, x)
		if err != nil {
			return nil, err
		}
		rows = slices.DeleteFunc(rows, func(row int64) bool { return !met.Contains(row) })
	}
	return lexical.NewIDs(rows...), nil
}

// pagesMeeting returns the pages that meet a filter. A caller that asks again, for the next page of a
// list or with other words, is spared to look at all of them.
func pagesMeeting(ctx context.Context, s *Search, f store.Filter) (*lexical.IDs, error) {
	key, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	return store.Keep(s.engine.Kept, s.mark, "filter "+string(key), func() (*lexical.IDs, error) {
		rows, err := s.tx.Pages().Rows(ctx, f)
		return lexical.NewIDs(rows...), err
	})
}

// storeFilter makes one filter of those next to a query's words, and
// returns those that it has no room for. It always names spaces: none lets
// nothing through. Of the spaces that a query names only those count that it may
// search.
func (s *Search) storeFilter(filters []query.Filter) (f store.Filter, apart []query.Filter) {
	f.Not = &store.Filter{}
	for _, sp := range s.spaces {
		f.Spaces = append(f.Spaces, sp.Row)
	}
	var named []int64
	spaceNamed := false
	for _, x := range filters {
		switch {
		case x.Never:
			return store.Filter{}, nil
		case x.Key == query.Space && x.Not:
			f.Not.Spaces = append(f.Not.Spaces, rowsNamed(s.spaces, x.Value)...)
		case x.Key == query.Space:
			named, spaceNamed = append(named, rowsNamed(s.spaces, x.Value)...), true
		case x.Key.InText(), x.Not && (x.Key == query.After || x.Key == query.Before):
			apart = append(apart, x) // a filter has room for one interval
		default:
			narrow(&f, x)
		}
	}
	if spaceNamed {
		f.Spaces = named
	}
	return f, apart
}

// filter answers for a filter within a query's tree, for equal ones
// once.
func (s *Search) filter(ctx context.Context, x query.Filter) (*lexical.IDs, error) {
	if x.Never {
		return lexical.NewIDs(), nil
	}
	text := x.String()
	if met := s.met[text]; met != nil {
		return met, nil
	}
	met, err := s.meets(ctx, x)
	if err == nil {
		if s.met == nil {
			s.met = map[string]*lexical.IDs{}
		}
		s.met[text] = met
	}
	return met, err
}

func (s *Search) meets(ctx context.Context, x query.Filter) (*lexical.IDs, error) {
	f := store.Filter{}
	if x.Key.InText() {
		for _, sp := range s.spaces {
			f.Spaces = append(f.Spaces, sp.Row)
		}
		if len(f.Spaces) == 0 {
			return lexical.NewIDs(), nil
		}
		rows, err := s.tx.Pages().Rows(ctx, f)
		if err == nil {
			rows, err = s.inText(ctx, rows, x)
		}
		return lexical.NewIDs(rows...), err
	}
	if x.Key == query.Space {
		rows := rowsNamed(s.spaces, x.Value)
		switch {
		case x.Not:
			f.Not = &store.Filter{Spaces: rows}
		case len(rows) == 0:
			return lexical.NewIDs(), nil
		default:
			f.Spaces = rows
		}
	} else {
		narrow(&f, x)
	}
	return pagesMeeting(ctx, s, f)
}

func rowsNamed(spaces []kb.Space, name string) []int64 {
	s, ok := link.Space(spaces, name)
	if !ok {
		return nil
	}
	return []int64{s.Row}
}

// narrow adds a filter of the query language to a filter of the store.
func narrow(f *store.Filter, x query.Filter) {
	to := f
	if x.Not {
		if f.Not == nil {
			f.Not = &store.Filter{}
		}
		to = f.Not
	}
	switch x.Key {
	case query.Type:
		to.Types = append(to.Types, x.Value)
	case query.Tag:
		if x.Not {
			to.Tags = append(to.Tags, x.Value)
		} else {
			to.AllTags = append(to.AllTags, x.Value)
		}
	case query.Status:
		to.Statuses = append(to.Statuses, kb.Status(x.Value))
	case query.Path:
		to.Paths = append(to.Paths, query.PathGlobs(x.Value)...)
	case query.Wing:
		to.Wings = append(to.Wings, x.Value)
	case query.Permalink:
		to.Permalinks = append(to.Permalinks, x.Value)
	case query.InTitle:
		to.Titles = append(to.Titles, x.Value)
	case query.Category:
		to.Categories = append(to.Categories, spellings(x.Value)...)
	case query.Where:
		to.Where = append(to.Where, where(x.Value))
	case query.After:
		later(to, x)
	case query.Before:
		earlier(to, x)
	}
}

// spellings returns a name as it is and, where they differ, with its accents composed
// and decomposed.
func spellings(name string) []string {
	out := []string{name}
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if spelled := form.String(name); !slices.Contains(out, spelled) {
			out = append(out, spelled)
		}
	}
	return out
}

// OnlyWords reports whether a condition on pages is neither a filter nor a comparison, but a
// name or words, by which it would mean any value of a property of that name.
func OnlyWords(condition string) bool {
	_, sign, _, ok := query.ParseWhere(condition)
	return ok && sign == "" && !strings.ContainsAny(condition, "=:[")
}

// where is a condition on a property for the store. One without a key, which a query
// may have, holds for nothing.
func where(text string) store.Where {
	key, sign, value, _ := query.ParseWhere(text)
	w := store.Where{Key: doc.PropertyKey(key), Is: store.Comparison(sign), Text: value}
	if w.Is == store.OneOf || w.Is == store.Between {
		w.Text, w.Texts = "", query.Values(value)
	}
	return w
}

// later and earlier keep the narrower of two bounds.
func later(f *store.Filter, x query.Filter) {
	if f.After.IsZero() || x.Time.After(f.After) {
		f.After = x.Time
	}
}

func earlier(f *store.Filter, x query.Filter) {
	if f.Before.IsZero() || x.Time.Before(f.Before) {
		f.Before = x.Time
	}
}
