package retrieve

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// intent is what a question says of the pages that it is about, beside what
// its words mean.
type intent struct {
	names []nameBearers
	types []string // as query.Asks gives them
	times []query.When
	// timed is how much of the question the times are, from 0 to 1.
	timed float64
}

// nameBearers are the pages that bear a name.
type nameBearers struct {
	name  string
	pages *lexical.IDs
}

// maxMentions is how many names of a question count.
const maxMentions = 8

// readIntent reads what the question says. A mention is a name when a page in the
// spaces that are searched is called so; of mentions that share words the
// longest counts, the first of equal ones.
func (s *Search) readIntent(ctx context.Context) (intent, error) {
	out := intent{types: query.Asks(s.query.Root)}
	out.times, out.timed = query.Times(s.query.Root, s.engine.Now())
	mentions := query.Mentions(s.query.Root)
	called, err := s.called(ctx, mentions)
	if err != nil {
		return out, err
	}
	var taken []query.Mention
	for _, m := range mentions {
		if len(taken) == maxMentions || slices.ContainsFunc(taken, m.Overlaps) || !m.Proper && !called[m.Text] {
			continue
		}
		pages, err := s.engine.Index.Text().Matching(ctx, s.tx.Lexical(), &query.Phrase{Text: m.Text, Field: query.Name}, lexical.Options{Allowed: s.allowed})
		if err != nil {
			return out, err
		}
		if pages != nil && pages.Len() > 0 {
			taken = append(taken, m)
			out.names = append(out.names, nameBearers{m.Text, pages})
		}
	}
	return out, nil
}

// called returns which mentions are the whole name of a page.
func (s *Search) called(ctx context.Context, mentions []query.Mention) (map[string]bool, error) {
	texts := map[string][]string{} // by key
	var keys []string
	for _, m := range mentions {
		if m.Proper {
			continue
		}
		key := link.Key(string(doc.WikiLink), m.Text)
		if key != "" && texts[key] == nil {
			keys = append(keys, key)
		}
		texts[key] = append(texts[key], m.Text)
	}
	out := map[string]bool{}
	if len(keys) == 0 {
		return out, nil
	}
	for _, space := range s.spaces {
		found, err := s.tx.Pages().ByNames(ctx, space.Row, keys)
		if err != nil {
			return nil, err
		}
		for key, pages := range found {
			if len(pages) > 0 {
				for _, text := range texts[key] {
					out[text] = true
				}
			}
		}
	}
	return out, nil
}

// nameMatch returns which of the question's names a page bears.
func (i intent) nameMatch(p kb.Page) []string {
	var out []string
	for _, n := range i.names {
		if n.pages.Contains(p.Row) {
			out = append(out, n.name)
		}
	}
	return out
}

// share returns how many of the question's names a page bears, 1 for all.
func (i intent) share(p kb.Page) float64 {
	return float64(len(i.nameMatch(p))) / float64(max(len(i.names), 1))
}

// dateMatch returns how near a page is to the times that the question speaks of,
// from 0 to 1, by the day that its name or its own metadata dates it to.
func (i intent) dateMatch(p kb.Page) (near float64, day time.Time) {
	if len(i.times) == 0 {
		return 0, day
	}
	day, ok := dayOf(p)
	if !ok {
		return 0, day
	}
	for _, w := range i.times {
		near = max(near, w.Near(day))
	}
	return near, day
}

// typeMatch reports whether the question asks for pages of the type of this one.
func (i intent) typeMatch(p kb.Page) bool {
	return p.Type != "" && slices.Contains(i.types, query.Singular(strings.ToLower(p.Type)))
}
