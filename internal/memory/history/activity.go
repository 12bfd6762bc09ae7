package history

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// CountActivity counts changes by day and actor, the newest day first. Days are those of
// the caller's clock.
func CountActivity(ctx context.Context, sess *memory.Session, req RecentRequest) (out api.ActivityList, err error) {
	now := sess.Now()
	out.Items = []api.ActivityDay{}
	if out.Since, err = query.Since(cmp.Or(req.Since, "30 days"), now); err != nil {
		return out, err
	}
	type key struct{ day, actor string }
	changes, pages := map[key]int{}, map[key]map[kb.ID]bool{}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		f := store.VersionFilter{Actor: ParseActor(req.Actor), Since: out.Since}
		var err error
		if f.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
			return err
		}
		found, total, err := tx.History().Versions(ctx, f, 1<<30, 0)
		out.Total = total
		for _, v := range found {
			k := key{v.Time.In(now.Location()).Format(time.DateOnly), v.Actor.String()}
			if pages[k] == nil {
				pages[k] = map[kb.ID]bool{}
			}
			changes[k]++
			pages[k][v.Page] = true
		}
		return err
	})
	for k, n := range changes {
		out.Items = append(out.Items, api.ActivityDay{Day: k.day, Actor: k.actor, Changes: n, Pages: len(pages[k])})
	}
	slices.SortFunc(out.Items, func(a, b api.ActivityDay) int {
		return cmp.Or(strings.Compare(b.Day, a.Day), cmp.Compare(b.Changes, a.Changes), strings.Compare(a.Actor, b.Actor))
	})
	return out, err
}
