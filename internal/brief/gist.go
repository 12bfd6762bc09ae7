package brief

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"

	"github.com/cairn-kb/cairn/internal/memory/retrieve"

	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// GistRequest asks for a summary of what a space knows.
type GistRequest struct {
	Recent bool   // the newest pages of all spaces that allow it, instead of one space
	Limit  int    // of pages, conflicts and stale pages each; 0 is the policy's limit
	DryRun bool   // write nothing, not even a due pass over pages
	About  string // put the pages similar to this text first
}

const (
	// elsewhereMost is the maximum number of pages listed in a directory of no
	// space.
	elsewhereMost = 3
	// linkWorth is by how many days each doubling of its inbound links makes a page
	// count as younger.
	linkWorth = 7
	// scanLimit is how many of the newest pages are compared, together with the
	// pages that they link to. It does not depend on the size of the space.
	scanLimit = 200
)

// ComposeContext summarises the caller's space, which is the one that a session
// starts with. Without one, or for recent changes, it lists the newest pages of all
// spaces with a policy that allows that elsewhere.
func ComposeContext(ctx context.Context, sess *memory.Session, req GistRequest) (api.Brief, error) {
	if req.Limit < 0 {
		return api.Brief{}, kb.Errorf(kb.Usage, "invalid limit %d", req.Limit)
	}
	if req.Recent {
		_, all, err := sess.Spaces.Chosen(ctx)
		if err != nil {
			return api.Brief{}, err
		}
		return Elsewhere(ctx, sess, all, req.Limit, req.DryRun)
	}
	in, all, err := spaceToTell(ctx, sess)
	if err != nil {
		return api.Brief{}, err
	}
	if in.Row == 0 {
		return Elsewhere(ctx, sess, all, req.Limit, req.DryRun)
	}
	pol, _, err := sess.Spaces.Policy(ctx, in, nil)
	if err != nil {
		pol = &policy.Policy{} // doctor reports an unreadable policy
	}
	if req.Limit == 0 {
		req.Limit = pol.Brief.Pages()
	}
	var near []api.Hit
	if strings.TrimSpace(req.About) != "" {
		if near, err = retrieve.Similar(ctx, sess, retrieve.SimilarRequest{Space: in, Text: req.About}); err != nil {
			return api.Brief{}, err
		}
	}
	turned, err := ageing.Ready(ctx, sess, ageing.ReadyRequest{Spaces: []kb.Space{in}, Daily: true, DryRun: req.DryRun})
	if err != nil {
		return api.Brief{}, err
	}
	var out api.Brief
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		out, err = BriefTx(ctx, sess, tx, in, near, turned, req.Limit)
		return err
	})
	return out, err
}

// BriefTx is Brief for a space, within a transaction; pages in near come first.
// Pages in turned have their new status.
func BriefTx(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space, near []api.Hit, turned ageing.Turned, limit int) (api.Brief, error) {
	out := empty(sess, in.Name)
	v, err := api.NewViewer(ctx, tx)
	if err != nil {
		return out, err
	}
	pages, err := active(ctx, sess, tx, in, near, turned, limit)
	if err != nil {
		return out, err
	}
	if out.ActiveNodes, err = findNodes(ctx, sess, tx, v, pages); err != nil {
		return out, err
	}
	for i := range out.ActiveNodes { // the most relevant passage, for pages found by About
		n := &out.ActiveNodes[i]
		at := slices.IndexFunc(near, func(h api.Hit) bool { return h.Ref == n.Ref })
		if at >= 0 && near[at].Snippet != "" {
			n.Summary = near[at].Snippet
		}
	}
	if out.Conflicts, err = conflicts(ctx, sess, tx, v, in, limit); err != nil {
		return out, err
	}
	out.StaleAlerts, err = alerts(ctx, sess, tx, v, in, turned, limit)
	return out, err
}

func empty(sess *memory.Session, name string) api.Brief {
	return api.Brief{Namespace: name, LoadedAt: sess.Now().UTC().Truncate(time.Second), ActiveNodes: []api.BriefNode{}, Conflicts: []api.BriefConflict{}, StaleAlerts: []api.BriefAlert{}}
}

// Elsewhere lists the newest active pages of the spaces with a policy that allows
// that in every directory.
func Elsewhere(ctx context.Context, sess *memory.Session, all []kb.Space, limit int, dry bool) (api.Brief, error) {
	out := empty(sess, "")
	if limit == 0 {
		limit = elsewhereMost
	}
	var shown []kb.Space
	for _, s := range all {
		if pol, _, err := sess.Spaces.Policy(ctx, s, nil); err == nil && pol.Brief.Elsewhere {
			shown = append(shown, s)
		}
	}
	if len(shown) == 0 {
		return out, nil
	}
	turned, err := ageing.Ready(ctx, sess, ageing.ReadyRequest{Spaces: shown, Daily: true, DryRun: dry})
	if err != nil {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		v, err := api.NewViewer(ctx, tx)
		if err != nil {
			return err
		}
		var rows []int64
		for _, s := range shown {
			of, err := newest(ctx, tx, s, turned, limit+maxReplaced)
			if err != nil {
				return err
			}
			rows = append(rows, of...)
		}
		pages, err := tx.Pages().Get(ctx, rows)
		if err != nil {
			return err
		}
		slices.SortStableFunc(pages, byUpdated)
		if pages, err = current(ctx, sess, tx, shown, pages); err != nil {
			return err
		}
		out.ActiveNodes, err = findNodes(ctx, sess, tx, v, pages[:min(limit, len(pages))])
		return err
	})
	return out, err
}

// byUpdated sorts pages by last change, newest first.
func byUpdated(x, y kb.Page) int {
	return cmp.Or(y.Updated.Compare(x.Updated), cmp.Compare(x.Space, y.Space), cmp.Compare(x.Slug, y.Slug))
}

// active returns the pages to start from: similar ones in their order, then pinned
// ones, then the others by last change, where inbound links make a page count as
// younger.
func active(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space, near []api.Hit, turned ageing.Turned, limit int) ([]kb.Page, error) {
	var out []kb.Page
	for _, h := range near {
		if kb.Holds(h.Status) {
			found, err := tx.Pages().ByID(ctx, h.ID)
			if err != nil {
				return nil, err
			}
			out = append(out, slices.DeleteFunc(found, func(p kb.Page) bool { return p.SpaceID != in.ID || !kb.Holds(turned.Status(p.Row, p.Status)) })...)
		}
	}
	rows, err := tx.Lives().Pinned(ctx, in.Row, kb.Holding(), limit)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(row int64) bool { return !kb.Holds(turned.Status(row, kb.Active)) })
	others, err := youngest(ctx, sess, tx, in, turned, max(scanLimit, limit))
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{}
	for _, p := range out {
		seen[p.Row] = true
	}
	var more []int64
	for _, row := range append(rows, others...) {
		if !seen[row] {
			seen[row] = true
			more = append(more, row)
		}
	}
	spaces := []kb.Space{in}
	out, err = current(ctx, sess, tx, spaces, out)
	for err == nil && len(out) < limit && len(more) > 0 {
		n := min(limit+maxReplaced, len(more))
		pages, failed := tx.Pages().Get(ctx, more[:n])
		if failed != nil {
			return nil, failed
		}
		pages, err = current(ctx, sess, tx, spaces, pages)
		out, more = append(out, pages...), more[n:]
	}
	return out[:min(limit, len(out))], err
}

// youngest returns current pages of a space by last change, where inbound links
// make a page count as younger. Candidates are the most recently changed pages and
// those that they link to.
func youngest(ctx context.Context, sess *memory.Session, tx store.Tx, in kb.Space, turned ageing.Turned, limit int) ([]int64, error) {
	rows, err := newest(ctx, tx, in, turned, limit)
	if err != nil {
		return nil, err
	}
	edges, err := tx.Links().EdgesFrom(ctx, rows)
	if err != nil {
		return nil, err
	}
	for _, x := range edges {
		rows = append(rows, x.To)
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	places, err := tx.Lives().Places(ctx, rows)
	if err != nil {
		return nil, err
	}
	links, err := tx.Lives().Linked(ctx, rows)
	if err != nil {
		return nil, err
	}
	places = slices.DeleteFunc(places, func(p store.LifePlace) bool { return p.Space != in.Row || !kb.Holds(turned.Status(p.Page, p.Status)) })
	now, age := sess.Now(), make(map[int64]float64, len(places))
	for _, p := range places {
		age[p.Page] = Age(now.Sub(p.Updated), links[p.Page])
	}
	slices.SortFunc(places, func(x, y store.LifePlace) int {
		return cmp.Or(cmp.Compare(age[x.Page], age[y.Page]), cmp.Compare(x.Slug, y.Slug), cmp.Compare(x.Page, y.Page))
	})
	for i, p := range places {
		rows[i] = p.Page
	}
	return rows[:len(places)], nil
}

// Age returns the effective age of a page in days: each doubling of its inbound
// links makes it a week younger.
func Age(since time.Duration, links int) float64 {
	return since.Hours()/24 - linkWorth*math.Log2(float64(1+links))
}

// newest returns the rows of current pages of a space: the most recently changed
// first, and then those that became current again.
func newest(ctx context.Context, tx store.Tx, in kb.Space, turned ageing.Turned, limit int) (out []int64, err error) {
	for _, status := range kb.Holding() {
		rows, err := tx.Lives().Newest(ctx, in.Row, status, limit+len(turned))
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	out = slices.DeleteFunc(out, func(row int64) bool { return !kb.Holds(turned.Status(row, kb.Active)) })
	places, err := tx.Lives().Places(ctx, slices.Sorted(maps.Keys(turned)))
	for _, p := range places {
		if p.Space == in.Row && kb.Holds(turned.Status(p.Page, p.Status)) {
			out = append(out, p.Page)
		}
	}
	return out, err
}

// findNodes describes active pages.
func findNodes(ctx context.Context, sess *memory.Session, tx store.Tx, v *api.Viewer, pages []kb.Page) ([]api.BriefNode, error) {
	shown, err := v.Pages(ctx, pages)
	if err != nil {
		return nil, err
	}
	rows := make([]int64, len(pages))
	for i, p := range pages {
		rows[i] = p.Row
	}
	edges, err := tx.Links().EdgesFrom(ctx, rows)
	if err != nil {
		return nil, err
	}
	type edge struct{ from, to int64 }
	out, seen, count := []api.BriefNode{}, map[edge]bool{}, map[int64]int{}
	for _, l := range edges {
		if to := (edge{l.From, l.To}); !seen[to] && l.From != l.To {
			seen[to] = true
			count[l.From]++
		}
	}
	for i, p := range pages {
		source, err := tx.History().Bytes(ctx, p.Hash)
		if err != nil {
			return nil, err
		}
		out = append(out, api.BriefNode{
			ID: shown[i].Short, Ref: p.Ref(), Title: p.Title, Summary: retrieve.Begins(p, retrieve.Truth(sess.Codecs, p, source)),
			UpdatedAt: p.Updated.UTC().Format(time.DateOnly), LinksOut: count[p.Row],
		})
	}
	return out, nil
}

// conflicts returns pairs of active pages that contradict each other, according to
// the policy.
func conflicts(ctx context.Context, sess *memory.Session, tx store.Tx, v *api.Viewer, in kb.Space, limit int) ([]api.BriefConflict, error) {
	out := []api.BriefConflict{}
	pol, _, err := sess.Spaces.Policy(ctx, in, nil)
	if err != nil {
		return out, nil // doctor reports an unreadable policy
	}
	found, err := contradiction.Conflicts(ctx, sess, tx, in, pol, nil)
	if err != nil {
		return out, err
	}
	for _, x := range found[:min(limit, len(found))] {
		shown, err := v.Pages(ctx, []kb.Page{x.A, x.B})
		if err != nil {
			return out, err
		}
		a, b := shown[0], shown[1]
		c := api.BriefConflict{NodeA: a.Short, NodeB: b.Short, RefA: a.Ref, RefB: b.Ref, Description: x.Why}
		if c.Description == "" {
			c.Description = a.Title + " contradicts " + b.Title
		}
		out = append(out, c)
	}
	return out, nil
}

// alerts returns the stale pages: those that just became stale first, then the
// others by last change.
func alerts(ctx context.Context, sess *memory.Session, tx store.Tx, v *api.Viewer, in kb.Space, turned ageing.Turned, limit int) ([]api.BriefAlert, error) {
	out := []api.BriefAlert{}
	places, err := tx.Lives().Places(ctx, slices.Sorted(maps.Keys(turned)))
	if err != nil {
		return out, err
	}
	var rows []int64
	for _, p := range places {
		if p.Space == in.Row && p.Status != kb.Stale && turned.Status(p.Page, p.Status) == kb.Stale {
			rows = append(rows, p.Page)
		}
	}
	slices.Sort(rows)
	stale, err := tx.Lives().Newest(ctx, in.Row, kb.Stale, limit+len(turned))
	if err != nil {
		return out, err
	}
	rows = append(rows, slices.DeleteFunc(stale, func(row int64) bool { return turned.Status(row, kb.Stale) != kb.Stale })...)
	pages, err := tx.Pages().Get(ctx, rows[:min(limit, len(rows))])
	if err != nil {
		return out, err
	}
	shown, err := v.Pages(ctx, pages)
	for i, p := range pages {
		a := api.BriefAlert{ID: shown[i].Short, Ref: p.Ref(), Title: p.Title}
		properties, err := tx.Pages().Properties(ctx, p.Row)
		if err != nil {
			return out, err
		}
		for _, x := range properties {
			switch x.Key {
			case doc.PropertyKey("stale_since"):
				a.StaleSince = x.Text
			case doc.PropertyKey("stale_reason"):
				a.Reason = x.Text
			}
		}
		if turn, turns := turned[p.Row]; turns {
			a.StaleSince, a.Reason = sess.Now().Format(time.DateOnly), turn.Reason
		}
		out = append(out, a)
	}
	return out, err
}
