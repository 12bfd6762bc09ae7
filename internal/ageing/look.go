package ageing

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/lifecycle"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

// look is a space as the rules see it, and what they make of it.
type look struct {
	tx    store.Tx
	space kb.Space
	life  policy.Lifecycle
	rules lifecycle.Ageing
	zone  *time.Location

	pages    map[int64]kb.Page // of the space, and those of others with relations to it
	subjects []lifecycle.Subject
	acts     []lifecycle.Act
	undated  map[int64]bool // pages whose documents say no day
	since    map[int64]string
	out      lifecycle.Outcome
}

// look reads a space and decides on its pages.
func (e *Engine) look(ctx context.Context, tx store.Tx, s kb.Space, life policy.Lifecycle) (*look, error) {
	now := e.Now()
	l := &look{
		tx: tx, space: s, life: life, zone: now.Location(),
		rules: lifecycle.Ageing{StaleAfter: life.StaleAfter, UnlinkedAfter: life.UnlinkedAfter, Today: now.Format(time.DateOnly)},
		pages: map[int64]kb.Page{}, undated: map[int64]bool{}, since: map[int64]string{},
	}
	if err := l.readPages(ctx); err != nil {
		return nil, err
	}
	if err := l.readLinks(ctx); err != nil {
		return nil, err
	}
	if err := l.refine(ctx); err != nil {
		return nil, err
	}
	l.out = l.rules.Pass(l.subjects, l.acts)
	return l, nil
}

// updatedKeys are those under which documents say when they were changed.
var updatedKeys = []string{"updated", "updated_at", "modified", "last_modified"}

// readPages reads the pages of the space with what they say of their life.
func (l *look) readPages(ctx context.Context) error {
	pages, _, err := l.tx.Pages().List(ctx, store.Filter{Spaces: []int64{l.space.Row}}, store.BySlug, api.Limit(0), 0)
	if err != nil {
		return err
	}
	keys := append([]string{write.KeyReviewed, write.KeyReason, write.KeyStaleSince}, updatedKeys...)
	said, err := l.tx.Claims().Properties(ctx, store.Claimants{Space: l.space.Row}, keys)
	if err != nil {
		return err
	}
	type key struct {
		page int64
		key  string
	}
	values := map[key]string{}
	for _, p := range said {
		if _, first := values[key{p.Page, p.Key}]; !first {
			values[key{p.Page, p.Key}] = p.Text
		}
	}
	l.subjects = make([]lifecycle.Subject, 0, len(pages))
	for _, p := range pages {
		l.pages[p.Row] = p
		get := func(name string) string { return values[key{p.Row, name}] }
		s := lifecycle.Subject{
			Page: p.Row, Name: p.Slug, Standing: lifecycle.Standing{Status: p.Status, Reason: get(write.KeyReason)},
			Reviewed: l.dayOf(get(write.KeyReviewed)), Base: l.day(p.Created), Exempt: l.life.Exempt.Has(p),
		}
		s.Base = max(s.Base, s.Reviewed)
		for _, name := range updatedKeys {
			s.Base = max(s.Base, l.dayOf(get(name)))
		}
		if s.Base == "" {
			l.undated[p.Row] = true
			s.Base = max(l.day(p.TruthUpdated), l.day(p.TimelineUpdated))
		}
		l.since[p.Row] = l.dayOf(get(write.KeyStaleSince))
		l.subjects = append(l.subjects, s)
	}
	return nil
}

// day is the day of a time where the user is. A date without a time is of no zone.
func (l *look) day(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case t.Equal(t.UTC().Truncate(24 * time.Hour)):
		return t.UTC().Format(time.DateOnly)
	}
	return t.In(l.zone).Format(time.DateOnly)
}

// dayOf is the day that a text says, "" where it is no date.
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

// readLinks reads the links to the pages of the space.
func (l *look) readLinks(ctx context.Context) error {
	rows := make([]int64, len(l.subjects))
	at := make(map[int64]int, len(l.subjects))
	for i, s := range l.subjects {
		rows[i], at[s.Page] = s.Page, i
	}
	edges, err := l.tx.Links().EdgesTo(ctx, rows)
	if err != nil {
		return err
	}
	for _, x := range edges {
		if x.From != x.To {
			l.subjects[at[x.To]].Linked = true
		}
	}
	if err := l.addActs(ctx, edges); err != nil {
		return err
	}
	return l.readAbroad(ctx)
}

// readAbroad reads the links that act and lead into other spaces: a page may contradict
// one there, or replace one that replaces it, directly or by way of others.
func (l *look) readAbroad(ctx context.Context) error {
	names := l.life.Relations(policy.MakesStale)
	maps.Copy(names, l.life.Relations(policy.Conflicts))
	if len(names) == 0 {
		return nil
	}
	edges, err := l.tx.Claims().Typed(ctx, store.Claimants{Space: l.space.Row}, names)
	seen := map[int64]bool{}
	for err == nil && len(edges) > 0 {
		var next []int64
		edges = slices.DeleteFunc(edges, func(x kb.Link) bool {
			p, known := l.pages[x.To]
			return x.To == 0 || known && p.SpaceID == l.space.ID // as a link to it
		})
		for _, x := range edges {
			if !seen[x.To] {
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

// addActs adds the links that act now, and the pages of other spaces at their ends.
func (l *look) addActs(ctx context.Context, edges []kb.Link) error {
	replaces, conflicts := l.life.Relations(policy.MakesStale), l.life.Relations(policy.Conflicts)
	edges = slices.DeleteFunc(edges, func(x kb.Link) bool {
		key := kb.NameKey(x.Type)
		return !replaces[key] && !conflicts[key] || !x.Interval().Holds(l.rules.Today)
	})
	var abroad []int64
	for _, x := range edges {
		for _, row := range []int64{x.From, x.To} {
			if _, known := l.pages[row]; !known {
				abroad = append(abroad, row)
			}
		}
	}
	slices.Sort(abroad)
	others, err := l.tx.Pages().Get(ctx, slices.Compact(abroad))
	if err != nil {
		return err
	}
	for _, p := range others {
		l.pages[p.Row] = p
		l.subjects = append(l.subjects, lifecycle.Subject{Page: p.Row, Name: p.Ref(), Standing: lifecycle.Standing{Status: p.Status}, Abroad: true})
	}
	for _, x := range edges {
		since := x.ValidFrom
		if since == "" {
			since = l.day(l.pages[x.From].Created)
		}
		l.acts = append(l.acts, lifecycle.Act{From: x.From, To: x.To, Replaces: replaces[kb.NameKey(x.Type)], Since: since})
	}
	return nil
}

// refine looks more closely at the pages that are over a limit: one whose document says
// no day is as old as its text, which was first seen when its history began.
func (l *look) refine(ctx context.Context) error {
	documents := map[string]kb.ID{}
	for _, p := range l.pages {
		if p.Node == "" && p.SpaceID == l.space.ID {
			documents[p.Path] = p.ID
		}
	}
	for i := range l.subjects {
		s := &l.subjects[i]
		if s.Abroad || !l.undated[s.Page] || !l.rules.Ages(*s) {
			continue
		}
		first, err := l.tx.History().Version(ctx, l.space.Row, documents[l.pages[s.Page].Path], 1)
		if err != nil && kb.CodeOf(err) != kb.NotFound {
			return err
		}
		s.Base = max(s.Base, l.day(first.Time))
	}
	return nil
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

// conflicts and circles name the pages of the findings.
func (l *look) conflicts() (out []Conflict) {
	for _, c := range l.out.Conflicts {
		a, b := l.pages[c[0]].Ref(), l.pages[c[1]].Ref()
		out = append(out, Conflict{A: min(a, b), B: max(a, b)})
	}
	slices.SortFunc(out, func(a, b Conflict) int { return strings.Compare(a.A+"\x00"+a.B, b.A+"\x00"+b.B) })
	return out
}

func (l *look) circles() (out [][]string) {
	for _, c := range l.out.Circles {
		refs := make([]string, len(c))
		for i, row := range c {
			refs[i] = l.pages[row].Ref()
		}
		slices.Sort(refs)
		out = append(out, refs)
	}
	slices.SortFunc(out, slices.Compare)
	return out
}
