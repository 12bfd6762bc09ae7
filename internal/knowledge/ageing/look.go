package ageing

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// look holds the data of a space that the rules need, and their results.
type look struct {
	tx    store.Tx
	space kb.Space
	life  policy.Lifecycle
	rules lifecycle.Ageing
	zone  *time.Location

	lives    map[int64]store.Life // of the pages of the space
	pages    map[int64]kb.Page    // pages read in full, also of other spaces
	subjects []lifecycle.Subject
	edges    []kb.Link // see acting
	acts     []lifecycle.Act
	undated  map[int64]bool // pages of documents without a date
	since    map[int64]string
	out      lifecycle.Outcome
}

// newLook reads a space and decides which of its pages change status.
func newLook(ctx context.Context, sess *memory.Session, tx store.Tx, s kb.Space, life policy.Lifecycle) (*look, error) {
	l := emptyLook(sess, tx, s, life)
	lives, err := tx.Lives().All(ctx, s.Row)
	if err != nil {
		return nil, err
	}
	return l, l.read(ctx, lives, nil)
}

// partialLook is newLook for only the stale pages and those at the ends of links with an
// effect on status, if these are few. It decides the same about these.
func partialLook(ctx context.Context, sess *memory.Session, tx store.Tx, s kb.Space, life policy.Lifecycle) (*look, error) {
	l := emptyLook(sess, tx, s, life)
	rows, err := tx.Lives().Newest(ctx, s.Row, kb.Stale, 0)
	if err != nil {
		return nil, err
	}
	edges, err := l.acting(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range edges {
		rows = append(rows, x.From, x.To)
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	if len(rows) > fewPages {
		return newLook(ctx, sess, tx, s, life)
	}
	pages, err := tx.Pages().Get(ctx, rows)
	if err != nil {
		return nil, err
	}
	linked, err := tx.Lives().Linked(ctx, rows)
	if err != nil {
		return nil, err
	}
	lives := make([]store.Life, 0, len(pages))
	for _, p := range pages {
		if p.SpaceID == s.ID {
			l.pages[p.Row] = p
			lives = append(lives, store.Life{
				Page: p.Row, Slug: p.Slug, Status: p.Status, Linked: linked[p.Row] > 0,
				Created: p.Created, TruthUpdated: p.TruthUpdated, TimelineUpdated: p.TimelineUpdated,
			})
		}
	}
	if len(lives) == 0 {
		return l, nil
	}
	return l, l.read(ctx, lives, slices.Sorted(maps.Keys(l.pages)))
}

// fewPages is up to how many pages are read by themselves: one costs as much as the lives of
// twenty in order.
const fewPages = 256

func emptyLook(sess *memory.Session, tx store.Tx, s kb.Space, life policy.Lifecycle) *look {
	now := sess.Now()
	return &look{
		tx: tx, space: s, life: life, zone: now.Location(),
		rules: lifecycle.Ageing{StaleAfter: life.StaleAfter, UnlinkedAfter: life.UnlinkedAfter, Today: now.Format(time.DateOnly)},
		pages: map[int64]kb.Page{}, undated: map[int64]bool{}, since: map[int64]string{},
	}
}

// read reads the metadata and links of pages, rows nil for all of the space, and decides on them.
func (l *look) read(ctx context.Context, lives []store.Life, rows []int64) error {
	if err := l.readPages(ctx, lives, rows); err != nil {
		return err
	}
	if err := l.readLinks(ctx); err != nil {
		return err
	}
	if err := l.refine(ctx); err != nil {
		return err
	}
	l.out = l.rules.Pass(l.subjects, l.acts)
	return l.load(ctx, slices.Sorted(maps.Keys(l.out.Turns)))
}

// load reads pages in full, unless they are loaded already.
func (l *look) load(ctx context.Context, rows []int64) error {
	rows = slices.DeleteFunc(rows, func(row int64) bool { _, known := l.pages[row]; return known })
	slices.Sort(rows)
	pages, err := l.tx.Pages().Get(ctx, slices.Compact(rows))
	for _, p := range pages {
		l.pages[p.Row] = p
	}
	return err
}

// ref returns the ref of a loaded page.
func (l *look) ref(row int64) string {
	if life, own := l.lives[row]; own {
		return kb.Page{Space: l.space.Name, Slug: life.Slug}.Ref()
	}
	return l.pages[row].Ref()
}

// exempt looks up whether the spaces of pages enable ageing.
func (l *look) exempt(ctx context.Context, which func(*lifecycle.Subject) bool) error {
	if l.life.Exempt.Empty() {
		return nil
	}
	var rows []int64
	var at []int
	for i := range l.subjects {
		if s := &l.subjects[i]; !s.Abroad && which(s) {
			rows, at = append(rows, s.Page), append(at, i)
		}
	}
	if err := l.load(ctx, slices.Clone(rows)); err != nil {
		return err
	}
	for n, row := range rows {
		l.subjects[at[n]].Exempt = l.life.Exempt.Has(l.pages[row])
	}
	return nil
}

// updatedKeys are the metadata keys for the date of a document's last change.
var updatedKeys = []string{"updated", "updated_at", "modified", "last_modified"}

// readPages reads the lifecycle metadata of pages.
func (l *look) readPages(ctx context.Context, lives []store.Life, rows []int64) error {
	slices.SortFunc(lives, func(a, b store.Life) int { return cmp.Or(strings.Compare(a.Slug, b.Slug), cmp.Compare(a.Page, b.Page)) })
	keys := append([]string{write.KeyReviewed, write.KeyReason, write.KeyStaleSince}, updatedKeys...)
	said, err := l.tx.Claims().Properties(ctx, store.Claimants{Space: l.space.Row, Pages: rows}, keys)
	if err != nil {
		return err
	}
	used, err := l.tx.Lives().Used(ctx, l.space.Row)
	if err != nil {
		return err
	}
	values := map[int64]map[string]string{} // of the few pages that have any of these keys
	for _, p := range said {
		of := values[p.Page]
		if of == nil {
			of = map[string]string{}
			values[p.Page] = of
		}
		if _, first := of[p.Key]; !first {
			of[p.Key] = p.Text
		}
	}
	l.subjects = make([]lifecycle.Subject, 0, len(lives))
	l.lives = make(map[int64]store.Life, len(lives))
	for _, p := range lives {
		l.lives[p.Page] = p
		of := values[p.Page]
		get := func(name string) string { return of[name] }
		s := lifecycle.Subject{
			Page: p.Page, Name: p.Slug, Standing: lifecycle.Standing{Status: p.Status, Reason: get(write.KeyReason)},
			Reviewed: l.dayOf(get(write.KeyReviewed)), Base: l.day(p.Created), Linked: p.Linked,
		}
		s.Base = max(s.Base, s.Reviewed)
		for _, name := range updatedKeys {
			s.Base = max(s.Base, l.dayOf(get(name)))
		}
		if s.Base == "" {
			l.undated[p.Page] = true
			s.Base = max(l.day(p.TruthUpdated), l.day(p.TimelineUpdated))
		}
		if day := used[p.Page]; day <= l.rules.Today { // a later day comes from a wrong clock
			s.Base = max(s.Base, day)
		}
		if since := get(write.KeyStaleSince); since != "" {
			l.since[p.Page] = l.dayOf(since)
		}
		l.subjects = append(l.subjects, s)
	}
	return nil
}

// day returns the date of a time in the user's time zone. A date without a time has
// no zone.
func (l *look) day(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.Equal(t.UTC().Truncate(24 * time.Hour)):
		return t.UTC().Format(time.DateOnly)
	}
	return t.In(l.zone).Format(time.DateOnly)
}

// dayOf returns the date in a text, "" if it is not a date.
func (l *look) dayOf(text string) string {
	if text == "" {
		return ""
	}
	t, ok := doc.ParseDate(text)
	if !ok {
		return ""
	}
	return l.day(t)
}

// readLinks reads the links with an effect on status: those from and to the pages
// of the space, and those of pages of other spaces through which a page there may,
// directly or indirectly, replace a page that replaces it.
func (l *look) readLinks(ctx context.Context) error {
	names := l.actingNames()
	edges, err := l.acting(ctx)
	seen := map[int64]bool{}
	for first := true; err == nil && len(edges) > 0; first = false {
		var next []int64
		edges = slices.DeleteFunc(edges, func(x kb.Link) bool {
			_, own := l.lives[x.To]
			return x.To == 0 || !first && own // the first pass has read it as a link to the page
		})
		for _, x := range edges {
			if _, own := l.lives[x.To]; !own && !seen[x.To] {
				seen[x.To] = true
				next = append(next, x.To)
			}
		}
		if err = l.addActs(ctx, edges); err == nil {
			edges, err = l.tx.Links().EdgesFrom(ctx, next)
		}
		edges = slices.DeleteFunc(edges, func(x kb.Link) bool { return !names[kb.NameKey(x.Type)] })
	}
	return err
}

// actingNames are the names of relations with an effect on status.
func (l *look) actingNames() map[string]bool {
	names := l.life.Relations(policy.MakesStale)
	maps.Copy(names, l.life.Relations(policy.Conflicts))
	return names
}

// acting are these relations from and to pages of the space, in effect or not.
func (l *look) acting(ctx context.Context) ([]kb.Link, error) {
	if l.edges == nil {
		names := l.actingNames()
		if len(names) == 0 {
			return nil, nil
		}
		var err error
		if l.edges, err = l.tx.Claims().Typed(ctx, store.Claimants{Space: l.space.Row, Inbound: true}, names); err != nil {
			return nil, err
		}
	}
	return slices.Clone(l.edges), nil
}

// addActs adds the links that are in effect now, and the pages of other spaces at
// their ends.
func (l *look) addActs(ctx context.Context, edges []kb.Link) error {
	replaces, conflicts := l.life.Relations(policy.MakesStale), l.life.Relations(policy.Conflicts)
	edges = slices.DeleteFunc(edges, func(x kb.Link) bool {
		key := kb.NameKey(x.Type)
		return !replaces[key] && !conflicts[key] || !x.Interval().Holds(l.rules.Today)
	})
	var abroad []int64
	for _, x := range edges {
		for _, row := range []int64{x.From, x.To} {
			_, own := l.lives[row]
			if _, known := l.pages[row]; !own && !known && !slices.Contains(abroad, row) {
				abroad = append(abroad, row)
			}
		}
	}
	if err := l.load(ctx, slices.Clone(abroad)); err != nil {
		return err
	}
	slices.Sort(abroad)
	for _, row := range abroad {
		if p, there := l.pages[row]; there {
			l.subjects = append(l.subjects, lifecycle.Subject{Page: row, Name: p.Ref(), Standing: lifecycle.Standing{Status: p.Status}, Abroad: true})
		}
	}
	for _, x := range edges {
		since := x.ValidFrom
		if since == "" {
			life, own := l.lives[x.From]
			if !own {
				life.Created = l.pages[x.From].Created
			}
			since = l.day(life.Created)
		}
		l.acts = append(l.acts, lifecycle.Act{From: x.From, To: x.To, Replaces: replaces[kb.NameKey(x.Type)], Since: since})
	}
	return nil
}

// refine examines the pages that are over a limit. A page in a document without a
// date is as old as its text, which was first seen when its history began.
func (l *look) refine(ctx context.Context) error {
	over := func(s *lifecycle.Subject) bool { return l.rules.Ages(*s) }
	if err := l.exempt(ctx, over); err != nil {
		return err
	}
	for i := range l.subjects {
		s := &l.subjects[i]
		if s.Abroad || !l.undated[s.Page] || !over(s) {
			continue
		}
		if err := l.load(ctx, []int64{s.Page}); err != nil {
			return err
		}
		id, err := l.document(ctx, l.pages[s.Page])
		if err != nil {
			return err
		}
		first, err := l.tx.History().Version(ctx, l.space.Row, id, 1)
		if err != nil && kb.CodeOf(err) != kb.NotFound {
			return err
		}
		s.Base = max(s.Base, l.day(first.Time))
	}
	return nil
}

// document returns the id of the document that contains a page.
func (l *look) document(ctx context.Context, p kb.Page) (kb.ID, error) {
	if p.Node == "" {
		return p.ID, nil
	}
	pages, err := l.tx.Pages().ByPath(ctx, l.space.Row, p.Path)
	for _, other := range pages {
		if other.Node == "" {
			return other.ID, err
		}
	}
	return "", err
}

// active counts the active pages of the space.
func (l *look) active() (n int) {
	for _, s := range l.subjects {
		if !s.Abroad && s.Status == kb.Active {
			n++
		}
	}
	return n
}

// conflicts and circles format the pages of the findings.
func (l *look) conflicts() (out []api.PageConflict) {
	for _, c := range l.out.Conflicts {
		a, b := l.ref(c[0]), l.ref(c[1])
		out = append(out, api.PageConflict{A: min(a, b), B: max(a, b)})
	}
	slices.SortFunc(out, func(a, b api.PageConflict) int { return strings.Compare(a.A+"\x00"+a.B, b.A+"\x00"+b.B) })
	return out
}

func (l *look) circles() (out [][]string) {
	for _, c := range l.out.Circles {
		refs := make([]string, len(c))
		for i, row := range c {
			refs[i] = l.ref(row)
		}
		slices.Sort(refs)
		out = append(out, refs)
	}
	slices.SortFunc(out, slices.Compare)
	return out
}
