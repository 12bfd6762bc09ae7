package app

import (
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// Where reads the filters of a search, such as "path:inbox tag:idea", as what
// narrows a list. Words, and conditions that a list does not have, are kb.Usage.
func Where(text string, now time.Time) (*ListRequest, error) {
	q := query.Parse(text, now)
	if _, all := q.Root.(*query.All); !all {
		return nil, notWhere(text)
	}
	var out ListRequest
	for _, f := range q.Filters {
		if f.Not || f.Never {
			return nil, notWhere(text)
		}
		switch f.Key {
		case query.Type:
			out.Types = append(out.Types, f.Value)
		case query.Tag:
			out.Tags = append(out.Tags, f.Value)
		case query.Status:
			out.Statuses = append(out.Statuses, f.Value)
		case query.Path:
			out.Paths = append(out.Paths, f.Value)
		case query.After:
			out.After = f.Value
		case query.Before:
			out.Before = f.Value
		case query.Where:
			out.Where = append(out.Where, f.Value)
		default:
			return nil, notWhere(text)
		}
	}
	return &out, nil
}

func notWhere(text string) error {
	return kb.Errorf(kb.Usage, "%q does not say which pages by filters alone", text).
		WithHint("Filters are path:, tag:, type:, status:, after:, before: and [property:value], such as: path:inbox tag:idea")
}
