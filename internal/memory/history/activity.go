package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// CountActivity counts changes by day and actor, newest day first. Days are those
// of the caller's clock.
func CountActivity(ctx context.Context, sess *memory.Session, req RecentRequest) (out api.ActivityList, err error) {
	now := sess.Now()
	since, err := query.Since(cmp.Or(req.Since, "30 days"), now)
	if err != nil {
		return api.ActivityList{Items: []api.ActivityDay{}}, err
	}
	err = store.ViewAt(ctx, sess.DB, func(tx store.Tx, mark int64) error {
		f := store.VersionFilter{Actor: ParseActor(req.Actor), Since: since}
		if f.Spaces, err = sess.Spaces.ScopeTx(ctx, tx, req.All); err != nil {
			return err
		}
		// This reads all versions, and is called for each display of a past day.
		zone, offset := now.Zone()
		out, err = store.Keep(sess.Kept, mark, fmt.Sprint("activity ", f, zone, offset), func() (api.ActivityList, error) {
			found, total, err := tx.History().Versions(ctx, f, 1<<30, 0)
			return activity(found, total, now.Location()), err
		})
		return err
	})
	out.Since = since
	return out, err
}

// activity counts versions by day and actor.
func activity(found []kb.Version, total int, in *time.Location) api.ActivityList {
	out := api.ActivityList{Items: []api.ActivityDay{}, Total: total}
	type key struct{ day, actor string }
	changes, pages := map[key]int{}, map[key]map[kb.ID]bool{}
	for _, v := range found {
		k := key{v.Time.In(in).Format(time.DateOnly), v.Actor.String()}
		if pages[k] == nil {
			pages[k] = map[kb.ID]bool{}
		}
		changes[k]++
		pages[k][v.Page] = true
	}
	for k, n := range changes {
		out.Items = append(out.Items, api.ActivityDay{Day: k.day, Actor: k.actor, Changes: n, Pages: len(pages[k])})
	}
	slices.SortFunc(out.Items, func(a, b api.ActivityDay) int {
		return cmp.Or(strings.Compare(b.Day, a.Day), cmp.Compare(b.Changes, a.Changes), strings.Compare(a.Actor, b.Actor))
	})
	return out
}
