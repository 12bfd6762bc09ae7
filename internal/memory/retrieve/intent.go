package retrieve

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// intent is the evidence of a question about its pages other than the meaning of
// its words.
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

// readTimes reads the times that the question speaks of, and notes how it read those that
// can be read in several ways. In a conversation yesterday is the day before the last one: where the
// best page is one, times are counted from the newest page that was found.
func (s *Search) readTimes(ctx context.Context, in *intent, best []kb.Page) (err error) {
	ref := query.Reference{Now: s.engine.Now(), DayOf: func(words []string) (day time.Time, n int) {
		if err == nil {
			day, n, err = s.dayOfNamed(ctx, words)
		}
		return day, n
	}}
	in.times, in.timed = query.Times(s.query.Root, ref)
	from := ""
	if slices.ContainsFunc(in.times, func(w query.When) bool { return w.Relative }) && len(best) > 0 && isConversation(best[0]) {
		if newest := newestDay(best); !newest.IsZero() && newest.Before(ref.Now) {
			year, month, day := newest.Date()
			ref.Now = time.Date(year, month, day, 12, 0, 0, 0, ref.Now.Location())
			in.times, in.timed = query.Times(s.query.Root, ref)
			from = ", counted from " + newest.Format(time.DateOnly) + ", the newest page found"
		}
	}
	for _, w := range in.times {
		read := w.String()
		if from != "" && w.Relative {
			read += from
		}
		if w.Bounded || w.Page || from != "" && w.Relative {
			s.note("%q was read as %s", w.Text, read)
		}
		if s.req.Explain {
			s.out.Times = append(s.out.Times, api.TimeRead{Text: w.Text, Read: read})
		}
	}
	return err
}

// isConversation reports whether a page is what people said, by its type.
func isConversation(p kb.Page) bool {
	return slices.Contains([]string{"conversation", "chat", "dialogue", "dialog", "transcript"}, strings.ToLower(p.Type))
}

// newestDay returns the last day of pages.
func newestDay(pages []kb.Page) (newest time.Time) {
	for _, p := range pages {
		if day, ok := dayOf(p); ok && day.After(newest) {
			newest = day
		}
	}
	return newest
}

// longestName is how many words a name has at most that a time is counted from.
const longestName = 6

// dayOfNamed returns the day of the page with the name that words begin with, the longest such name,
// and how many words it has.
func (s *Search) dayOfNamed(ctx context.Context, words []string) (time.Time, int, error) {
	for n := min(longestName, len(words)); n > 0; n-- {
		key := link.Key(string(doc.WikiLink), strings.Join(words[:n], " "))
		if key == "" {
			continue
		}
		var on []time.Time
		for _, space := range s.spaces {
			found, err := s.tx.Pages().ByNames(ctx, space.Row, []string{key})
			if err != nil {
				return time.Time{}, 0, err
			}
			for _, p := range found[key] {
				if day, ok := dayOf(p); ok && (s.allowed == nil || s.allowed.Contains(p.Row)) && !slices.Contains(on, day) {
					on = append(on, day)
				}
			}
		}
		if len(on) == 1 { // of several it is ambiguous
			return on[0], n, nil
		}
	}
	return time.Time{}, 0, nil
}

// readIntent reads what the question says. A mention is a name when a page in the
// spaces that are searched is called so; of mentions that share words the
// longest counts, the first of equal ones.
func (s *Search) readIntent(ctx context.Context, best []kb.Page) (intent, error) {
	out := intent{types: query.Asks(s.query.Root)}
	if err := s.readTimes(ctx, &out, best); err != nil {
		return out, err
	}
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
