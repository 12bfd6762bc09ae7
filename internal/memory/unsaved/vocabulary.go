package unsaved

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/store"
)

// Vocabulary holds the names and properties of the pages of a space, each list most
// frequent first.
type Vocabulary struct {
	Pages     []kb.Page // by slug, without their text
	Tags      []api.Count
	Relations []api.Count
	Keys      []api.Count            // of properties
	Values    map[string][]api.Count // of properties, by key
}

// maxValues limits the stored values of a property: a property with more is free
// text.
const maxValues = 200

// Vocabulary reads the vocabulary of a space. Its cost is proportional to the
// number of pages.
func (r Reader) Vocabulary(ctx context.Context, s kb.Space) (v *Vocabulary, err error) {
	v = &Vocabulary{Values: map[string][]api.Count{}}
	err = r.Session.DB.View(ctx, func(tx store.Tx) error {
		only := store.Filter{Spaces: []int64{s.Row}}
		if v.Pages, _, err = tx.Pages().List(ctx, only, store.BySlug, -1, 0); err != nil {
			return err
		}
		tags, err := tx.Pages().Tags(ctx, only)
		if err != nil {
			return err
		}
		for _, t := range tags {
			v.Tags = append(v.Tags, api.Count{Value: t.Value, Count: t.N})
		}
		rows := make([]int64, len(v.Pages))
		for i, p := range v.Pages {
			rows[i] = p.Row
		}
		slices.Sort(rows)
		types, keys, values := tally{}, tally{}, map[string]tally{}
		for part := range slices.Chunk(rows, 500) {
			links, err := tx.Facts().Links(ctx, part, true)
			if err != nil {
				return err
			}
			for _, l := range links {
				types[l.Type]++
			}
			properties, err := tx.Facts().Properties(ctx, part)
			if err != nil {
				return err
			}
			for _, p := range properties {
				keys[p.Key]++
				if values[p.Key] == nil {
					values[p.Key] = tally{}
				}
				if len(values[p.Key]) <= maxValues && len(p.Text) < 80 && !strings.Contains(p.Text, "\n") {
					values[p.Key][p.Text]++
				}
			}
		}
		v.Relations, v.Keys = types.list(), keys.list()
		for key, of := range values {
			if len(of) <= maxValues {
				v.Values[key] = of.list()
			}
		}
		return nil
	})
	return v, err
}

// tally counts words.
type tally map[string]int

func (t tally) list() (out []api.Count) {
	for word, n := range t {
		if word != "" {
			out = append(out, api.Count{Value: word, Count: n})
		}
	}
	slices.SortFunc(out, func(a, b api.Count) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value))
	})
	return out
}

// Matching returns at most limit pages with a name that matches a prefix, best
// first: at the start of a title, alias or path, then at the start of a word, then
// anywhere. For an alias it returns that name as well.
func (v *Vocabulary) Matching(text string, limit int) (out []Named) {
	type match struct {
		Named
		rank int
	}
	var all []match
	key := strings.ToLower(strings.TrimSpace(text))
	for _, p := range v.Pages {
		best := match{Named{Page: p}, rankOf(key, p.Title)}
		if by := rankOf(key, p.Slug[strings.LastIndexByte(p.Slug, '/')+1:]); by >= 0 && (best.rank < 0 || by < best.rank) {
			best.rank = by
		}
		if by := rankOf(key, p.Slug); by >= 0 && best.rank < 0 {
			best.rank = by + 1
		}
		for _, a := range p.Aliases {
			if by := rankOf(key, a); by >= 0 && a != p.Title && (best.rank < 0 || by < best.rank) {
				best = match{Named{p, a}, by}
			}
		}
		if best.rank >= 0 {
			all = append(all, best)
		}
	}
	slices.SortStableFunc(all, func(a, b match) int {
		return cmp.Or(a.rank-b.rank, b.Page.Updated.Compare(a.Page.Updated), strings.Compare(a.Page.Slug, b.Page.Slug))
	})
	for _, m := range all[:min(len(all), limit)] {
		out = append(out, m.Named)
	}
	return out
}

// Named is a page and the alias that matched, "" for its own names.
type Named struct {
	Page  kb.Page
	Alias string
}

// rankOf returns how well a name fits the typed text, 0 best; -1 for not at all.
func rankOf(typed, name string) int {
	name = strings.ToLower(name)
	switch at := strings.Index(name, typed); {
	case at < 0 && !subsequence(typed, name):
		return -1
	case at < 0:
		return 6
	case at == 0:
		return 0
	case strings.ContainsRune(" -_/.(", rune(name[at-1])):
		return 2
	default:
		return 4
	}
}

// subsequence reports whether the letters of a text of at least three occur in a
// name in this order.
func subsequence(typed, name string) bool {
	if len(typed) < 3 {
		return false
	}
	for _, r := range name {
		if typed != "" && strings.HasPrefix(typed, string(r)) {
			typed = typed[len(string(r)):]
		}
	}
	return typed == ""
}

// Targets returns the link targets from a file to pages, in order. In Org an id
// begins with "id:".
func (r Reader) Targets(ctx context.Context, f File, pages []Named) (out []string, err error) {
	from := kb.Page{SpaceID: f.Space.ID, Space: f.Space.Name, Path: f.Path}
	org := doc.ForPath(r.Session.Codecs, f.Path).Format() == doc.Org
	err = r.Session.DB.View(ctx, func(tx store.Tx) error {
		for _, p := range pages {
			target, err := change.Target(ctx, r.Session, tx, from, p.Page)
			if err != nil {
				return err
			}
			if _, isID := kb.ParseID(target); isID && org {
				target = "id:" + target
			}
			out = append(out, target)
		}
		return nil
	})
	return out, err
}
