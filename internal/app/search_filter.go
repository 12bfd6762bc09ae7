package app

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// allowed returns the pages that the filters let through; nil is all of every
// space.
func (s *searching) allowed(ctx context.Context, q query.Query) (*lexical.IDs, error) {
	all, err := s.a.spaces(ctx)
	if err != nil {
		return nil, err
	}
	if len(q.Filters) == 0 && len(s.spaces) == len(all) {
		return nil, nil
	}
	f := store.Filter{Not: &store.Filter{}}
	var spaces []int64
	for _, sp := range s.spaces {
		spaces = append(spaces, sp.Row)
	}
	f.Spaces = spaces
	var named []int64
	for _, x := range q.Filters {
		if x.Key == query.Space {
			rows := rowsNamed(all, x.Value)
			if x.Not {
				f.Not.Spaces = append(f.Not.Spaces, rows...)
			} else {
				named = append(named, rows...)
				f.Spaces = named
				if len(named) == 0 {
					return lexical.NewIDs(), nil
				}
			}
			continue
		}
		narrow(&f, x)
	}
	rows, err := s.tx.Pages().Rows(ctx, f)
	if err != nil {
		return nil, err
	}
	return lexical.NewIDs(rows...), nil
}

// filter answers for a filter that stands within a query's tree.
func (s *searching) filter(ctx context.Context, x query.Filter) (*lexical.IDs, error) {
	f := store.Filter{}
	if x.Key == query.Space {
		f.Spaces = rowsNamed(s.spaces, x.Value)
		if len(f.Spaces) == 0 {
			return lexical.NewIDs(), nil
		}
	} else {
		narrow(&f, x)
	}
	rows, err := s.tx.Pages().Rows(ctx, f)
	if err != nil {
		return nil, err
	}
	return lexical.NewIDs(rows...), nil
}

func rowsNamed(spaces []kb.Space, name string) []int64 {
	var rows []int64
	for _, s := range spaces {
		if strings.EqualFold(s.Name, name) {
			rows = append(rows, s.Row)
		}
	}
	return rows
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
		status, ok := kb.ParseStatus(x.Value)
		if !ok {
			status = kb.Status(x.Value) // matches nothing
		}
		to.Statuses = append(to.Statuses, status)
	case query.Path:
		to.Paths = append(to.Paths, pathPatterns(x.Value)...)
	case query.After:
		later(to, x)
	case query.Before:
		earlier(to, x)
	}
}

// pathPatterns makes globs of a path filter: what is no glob means every path
// that starts so.
func pathPatterns(value string) []string {
	if strings.ContainsAny(value, "*?[{") {
		return []string{value}
	}
	start := globEscape(strings.TrimPrefix(value, "/"))
	return []string{start + "*", start + "*/**"}
}

// later and earlier keep the narrower of two bounds. A negated bound is the
// other bound.
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
