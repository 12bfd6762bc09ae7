package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// ages are the groups of ages, in days since the last change, for counting pages.
var ages = []struct {
	name string
	days int // maximum
}{{"0-7", 7}, {"8-30", 30}, {"31-60", 60}, {"61-365", 365}, {"366+", 0}}

// PagesBy counts the pages of spaces by space, and by their age in days. See store.Keep
// for kept and mark.
func PagesBy(ctx context.Context, tx store.Tx, spaces []kb.Space, now time.Time, kept *store.Kept, mark int64) (perSpace, byAge []store.Count, err error) {
	var rows []int64
	for _, s := range spaces {
		n, err := pagesIn(ctx, tx, []int64{s.Row})
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, s.Row)
		perSpace = append(perSpace, store.Count{Value: s.Name, N: n})
	}
	today := kb.DayStart(now.Year(), now.Month(), now.Day(), now.Location())
	byAge, err = store.Keep(kept, mark, fmt.Sprint("ages ", today.Unix(), rows), func() (out []store.Count, err error) {
		counted := 0
		for _, a := range ages {
			f := store.Filter{Spaces: rows}
			if a.days > 0 {
				f.UpdatedSince = kb.DayStart(now.Year(), now.Month(), now.Day()-a.days, now.Location())
			}
			_, n, err := tx.Pages().List(ctx, f, store.BySlug, 1, 0)
			if err != nil || len(rows) == 0 {
				return nil, err
			}
			out = append(out, store.Count{Value: a.name, N: n - counted})
			counted = n
		}
		return out, nil
	})
	return perSpace, byAge, err
}

// RawData counts the raw data of sources, stored next to pages, in spaces (all
// if empty). See store.Keep for kept and mark.
func RawData(ctx context.Context, tx store.Tx, spaces []int64, kept *store.Kept, mark int64) (int, error) {
	return store.Keep(kept, mark, fmt.Sprint("raw data ", spaces), func() (n int, err error) {
		if len(spaces) == 0 {
			all, err := tx.Spaces().All(ctx)
			if err != nil {
				return 0, err
			}
			for _, s := range all {
				spaces = append(spaces, s.Row)
			}
		}
		for _, space := range spaces {
			states, err := tx.Documents().States(ctx, space)
			if err != nil {
				return 0, err
			}
			for _, s := range states {
				if s.Side.Hash.IsZero() {
					continue
				}
				text, err := tx.History().Bytes(ctx, s.Side.Hash)
				if err != nil {
					return 0, err
				}
				if f, err := sidecar.Parse(text); err == nil {
					n += len(f.Sources)
				}
			}
		}
		return n, nil
	})
}

// Stats counts the contents of spaces, of all spaces if none are given. See
// store.Keep for kept and mark.
func Stats(ctx context.Context, tx store.Tx, spaces []int64, kept *store.Kept, mark int64) (store.Stats, error) {
	all, err := tx.Spaces().All(ctx)
	if err != nil {
		return store.Stats{}, err
	}
	if !slices.ContainsFunc(all, func(s kb.Space) bool { return !slices.Contains(spaces, s.Row) }) {
		spaces = nil // which is faster
	}
	return store.Keep(kept, mark, fmt.Sprint("stats ", spaces), func() (store.Stats, error) { return tx.Pages().Stats(ctx, spaces) })
}
