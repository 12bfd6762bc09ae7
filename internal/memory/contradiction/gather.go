package contradiction

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/temporal"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// found holds the findings in a space, or of pages of it.
type found struct {
	tx    store.Tx
	space kb.Space
	rules lifecycle.Rules
	facts []lifecycle.Fact
	all   []lifecycle.Finding
	pages map[int64]kb.Page
	names map[int64]string // of subjects without a page
	rows  map[string]int64 // rows of these names
	// latest is the newest entry of each page with a stale truth.
	latest map[int64]kb.Entry
	gone   map[string]kb.Dismissal // dismissals by id of the finding
}

// look finds the contradictions of a space by its policy; nil pages are all pages,
// nil types all types.
func look(ctx context.Context, sess *memory.Session, tx store.Tx, s kb.Space, pol *policy.Policy, pages []int64, types []string) (*found, error) {
	f := findIn(sess, tx, s, pol)
	return f, f.look(ctx, pol, pages, types)
}

func (f *found) look(ctx context.Context, pol *policy.Policy, pages []int64, types []string) error {
	in := store.Claimants{Space: f.space.Row, Pages: pages, Today: f.rules.Today}
	alone := []string{string(lifecycle.Stale), string(lifecycle.Stated)} // found without the statements of all pages
	if len(types) == 0 || slices.ContainsFunc(types, func(t string) bool { return !slices.Contains(alone, t) }) {
		if err := f.gather(ctx, in, pol); err != nil {
			return err
		}
		f.all = append(f.all, f.rules.Contradictions(f.facts)...)
		f.concern(pages)
	}
	return f.finish(ctx, in, pol, types)
}

// finish adds the findings of these types that need no facts, and reads the
// dismissals.
func (f *found) finish(ctx context.Context, in store.Claimants, pol *policy.Policy, types []string) error {
	asked := func(kind lifecycle.Kind) bool { return len(types) == 0 || slices.Contains(types, string(kind)) }
	if asked(lifecycle.Stated) {
		if err := f.stated(ctx, in, pol); err != nil {
			return err
		}
	}
	if asked(lifecycle.Stale) {
		if err := f.behind(ctx, in, pol); err != nil {
			return err
		}
	}
	lifecycle.Sort(f.all)
	return f.dismissed(ctx)
}

// findIn starts the search in a space with its policy, without findings yet.
func findIn(sess *memory.Session, tx store.Tx, s kb.Space, pol *policy.Policy) *found {
	return &found{tx: tx, space: s, rules: rulesOf(pol, sess.Now()), pages: map[int64]kb.Page{}, names: map[int64]string{}, rows: map[string]int64{}, latest: map[int64]kb.Entry{}, gone: map[string]kb.Dismissal{}}
}

// dismissed reads the dismissals in the space, and in the spaces of other pages
// involved.
func (f *found) dismissed(ctx context.Context) error {
	spaces := []int64{f.space.Row}
	abroad := map[kb.ID]bool{}
	for _, p := range f.pages {
		abroad[p.SpaceID] = abroad[p.SpaceID] || p.SpaceID != f.space.ID
	}
	delete(abroad, f.space.ID)
	if len(abroad) > 0 {
		all, err := f.tx.Spaces().All(ctx)
		if err != nil {
			return err
		}
		for _, s := range all {
			if abroad[s.ID] {
				spaces = append(spaces, s.Row)
			}
		}
	}
	for _, row := range spaces {
		gone, err := f.tx.Claims().Dismissed(ctx, row)
		if err != nil {
			return err
		}
		for _, d := range gone {
			f.gone[d.ID] = d
		}
	}
	return nil
}

// rulesOf returns the rules of a policy on a day.
func rulesOf(pol *policy.Policy, now time.Time) lifecycle.Rules {
	set := func(names []string) map[string]bool {
		out := make(map[string]bool, len(names))
		for _, n := range names {
			out[kb.NameKey(n)] = true
		}
		return out
	}
	p := pol.Predicates
	acting := slices.Sorted(maps.Keys(pol.Lifecycle.Effects)) // of as many pages as may be
	inverse := make(map[string]string, len(p.Inverse))
	for name, of := range p.Inverse {
		inverse[kb.NameKey(name)] = of
	}
	return lifecycle.Rules{
		Inverse: inverse,
		Single:  set(p.Single), Exclusive: set(p.Exclusive), Many: set(slices.Concat(p.Many, acting)), Lasting: set(p.Lasting),
		Today: now.Format(time.DateOnly),
	}
}

// gather collects the statements of pages, and finds overlapping relations.
func (f *found) gather(ctx context.Context, in store.Claimants, pol *policy.Policy) error {
	keys := map[string]string{} // predicates
	for key, predicate := range pol.Predicates.Keys {
		keys[doc.PropertyKey(key)] = predicate
		for _, past := range pastKeys {
			if of := doc.PropertyKey(past + key); keys[of] == "" {
				keys[of] = ""
			}
		}
	}
	names := slices.Sorted(maps.Keys(keys))
	rivals, err := f.rivals(ctx, in)
	if err != nil {
		return err
	}
	if in.Pages != nil {
		in.Pages = slices.Concat(in.Pages, rivals)
		slices.Sort(in.Pages)
		in.Pages = slices.Compact(in.Pages)
	}
	endings, err := f.tx.Claims().Endings(ctx, in)
	if err != nil {
		return err
	}
	if err := f.ends(ctx, endings); err != nil {
		return err
	}
	if in.Pages != nil {
		for _, e := range endings {
			if e.By.To != 0 {
				in.Pages = append(in.Pages, e.By.To)
			}
		}
		slices.Sort(in.Pages)
		in.Pages = slices.Compact(in.Pages)
	}
	subjects, err := f.asserted(ctx, in)
	if err != nil {
		return err
	}
	in.Also, in.Many = slices.Concat(subjects, rivals), f.rules.Many
	relations, err := f.tx.Claims().Relations(ctx, in, names)
	if err != nil {
		return err
	}
	if in.Pages != nil {
		more, err := f.relationsOf(ctx, subjects, relations)
		if err != nil {
			return err
		}
		relations = append(relations, more...)
	}
	for len(relations) > 0 {
		n := slices.IndexFunc(relations, func(l kb.Link) bool { return l.From != relations[0].From })
		n = cmp.Or(max(n, 0), len(relations))
		f.relate(relations[:n])
		relations = relations[n:]
	}
	properties, err := f.tx.Claims().Properties(ctx, in, names)
	if err != nil {
		return err
	}
	if len(properties) > 0 {
		if err := f.properties(ctx, properties, keys, pol.Predicates.Keys); err != nil {
			return err
		}
	}
	return f.invert(ctx)
}

// relate adds relations of one page to the facts, and finds overlapping ones.
func (f *found) relate(relations []kb.Link) {
	for _, l := range relations {
		f.facts = append(f.facts, relation(l))
	}
	for _, o := range lifecycle.Overlaps(relations, false) {
		f.all = append(f.all, lifecycle.Finding{Kind: lifecycle.Overlapping, Certain: true, A: relation(o.First), B: relation(o.Second)})
	}
}

// nameless returns the row of a subject without a page, the same for equal names.
func (f *found) nameless(name string) int64 {
	key := kb.NameKey(name)
	if f.rows[key] == 0 {
		f.rows[key] = -int64(len(f.rows)) - 1
		f.names[f.rows[key]] = name
	}
	return f.rows[key]
}

// invert rewrites facts of inverse predicates from the side that the rules use. A
// predicate that is its own inverse holds from both sides. An object without a page
// may be the subject of an exclusive predicate.
func (f *found) invert(ctx context.Context) error {
	inverse := func(x lifecycle.Fact) string {
		if x.Source == lifecycle.Text || x.Object.Unclear || x.Subject <= 0 {
			return ""
		}
		predicate := f.rules.InverseOf(x.Predicate)
		if x.Object.Page == 0 && !f.rules.IsExclusive(predicate) {
			return ""
		}
		return predicate
	}
	var rows []int64
	for _, x := range f.facts {
		if inverse(x) != "" || x.Subject > 0 && f.rules.IsExclusive(x.Predicate) {
			rows = append(rows, x.Subject)
		}
	}
	if err := f.load(ctx, rows); err != nil {
		return err
	}
	for i, x := range f.facts {
		predicate, object := inverse(x), x.Object.Page
		if predicate != "" && object == 0 {
			object = f.nameless(x.Object.Name)
		}
		switch {
		case predicate == "":
			if f.rules.IsExclusive(x.Predicate) {
				f.facts[i].Called = f.title(x.Subject)
			}
		case kb.NameKey(predicate) == kb.NameKey(x.Predicate):
			f.facts = append(f.facts, x.Inverted(predicate, object, f.pages[x.Subject].Title))
		default:
			f.facts[i] = x.Inverted(predicate, object, f.pages[x.Subject].Title)
		}
	}
	return nil
}

// ends adds the statements that relations ended to the facts. An ambiguous subject
// is left out.
func (f *found) ends(ctx context.Context, all []store.EndedLink) error {
	var values []kb.Property
	var rows []int64
	for _, e := range all {
		if e.Name != "" {
			values, rows = append(values, kb.Property{Page: e.Page, Text: e.Name}), append(rows, e.Page)
		}
		if e.Name == "" && e.Object < 0 {
			rows = append(rows, e.Page)
		}
	}
	if err := f.load(ctx, rows); err != nil {
		return err
	}
	named, err := index.LeadValues(ctx, f.tx, f.space.Row, f.pages, values)
	if err != nil {
		return err
	}
	for _, e := range all {
		subject, object := e.Page, objectOf(e.To)
		if e.Subject >= 0 {
			subject = e.By.To
		}
		switch {
		case e.Name != "":
			object, named = objectOf(named[0]), named[1:]
		case e.Object < 0:
			object = lifecycle.Object{Page: e.Page, Name: f.pages[e.Page].Title}
		}
		if subject == 0 || e.By.Candidates > 1 {
			continue
		}
		f.facts = append(f.facts, lifecycle.Fact{
			Page: e.Page, Subject: subject, Object: object, Interval: kb.Interval{Until: e.Until},
			Source: lifecycle.Text, Line: e.Line, Said: e.Quote, On: e.On, Cited: e.Source, Entry: e.Entry,
			Role: e.Name == "" && e.Object < 0 && temporal.OfRole(e.Quote),
		})
	}
	return nil
}

func relation(l kb.Link) lifecycle.Fact {
	return lifecycle.Fact{
		Page: l.From, Subject: l.From, Predicate: l.Type, Object: objectOf(l), Interval: l.Interval(),
		Source: lifecycle.Relation, Line: l.Line, Said: l.Context,
	}
}

func objectOf(l kb.Link) lifecycle.Object {
	return lifecycle.Object{Page: l.To, Name: l.Name, Unclear: l.Candidates > 1}
}

// pastKeys are the prefixes of metadata keys with former values: former_employer.
var pastKeys = []string{"former_", "former-", "previous_", "previous-", "past_", "past-", "ex_", "ex-"}

// properties adds facts for metadata values that resolve to pages as links do.
func (f *found) properties(ctx context.Context, values []kb.Property, predicates, of map[string]string) error {
	var rows []int64
	for _, v := range values {
		rows = append(rows, v.Page)
	}
	if err := f.load(ctx, rows); err != nil {
		return err
	}
	links, err := index.LeadValues(ctx, f.tx, f.space.Row, f.pages, values)
	if err != nil {
		return err
	}
	for i, v := range values {
		l := links[i]
		if l.Name == "" {
			continue
		}
		fact := lifecycle.Fact{Page: v.Page, Subject: v.Page, Predicate: predicates[v.Key], Object: objectOf(l), Source: lifecycle.Property, Said: v.Key}
		if fact.Predicate == "" {
			fact.Source, fact.Said = lifecycle.Text, v.Key+": "+v.Text
			if was := past(v.Key, of); fact.Object.Page != 0 && f.rules.InverseOf(was) != "" {
				fact.Subject, fact.Object = fact.Object.Page, lifecycle.Object{Page: v.Page, Name: f.pages[v.Page].Title}
			}
		}
		f.facts = append(f.facts, fact)
	}
	return nil
}

// past returns the predicate of a key with former values, derived from the
// predicates of keys.
func past(key string, keys map[string]string) string {
	for of, predicate := range keys {
		for _, before := range pastKeys {
			if doc.PropertyKey(before+of) == key {
				return predicate
			}
		}
	}
	return ""
}

// behind finds the pages with a truth much older than their timeline.
func (f *found) behind(ctx context.Context, in store.Claimants, pol *policy.Policy) error {
	days := pol.Lifecycle.BehindDays
	if days == 0 {
		return nil
	}
	rows, err := f.tx.Claims().Behind(ctx, in, time.Duration(days)*24*time.Hour)
	if err != nil {
		return err
	}
	for _, row := range rows {
		f.all = append(f.all, lifecycle.Finding{
			Kind: lifecycle.Stale, Certain: true,
			A: lifecycle.Fact{Page: row, Subject: row, Source: lifecycle.Truth},
			B: lifecycle.Fact{Page: row, Subject: row, Source: lifecycle.Timeline},
		})
	}
	return nil
}

// load reads pages that were not read yet.
func (f *found) load(ctx context.Context, rows []int64) error {
	var want []int64
	for _, row := range rows {
		if _, known := f.pages[row]; !known && row != 0 {
			want = append(want, row)
		}
	}
	slices.Sort(want)
	pages, err := f.tx.Pages().Get(ctx, slices.Compact(want))
	for _, p := range pages {
		f.pages[p.Row] = p
	}
	return err
}

// settle reads the data of the findings' sides, and returns the findings' ids.
func (f *found) settle(ctx context.Context, findings []lifecycle.Finding) ([]string, error) {
	var rows []int64
	for _, x := range findings {
		for _, side := range []lifecycle.Fact{x.A, x.B} {
			rows = append(rows, side.Page, side.Subject, side.Object.Page)
		}
	}
	if err := f.load(ctx, rows); err != nil {
		return nil, err
	}
	ids := make([]string, len(findings))
	for i := range findings {
		x := &findings[i]
		if x.Kind == lifecycle.Stale {
			newest, err := f.newest(ctx, x.B.Page)
			if err != nil {
				return nil, err
			}
			x.B.From, x.B.Line, x.B.Said, x.B.Cited = newest.Date, newest.Line, newest.Text, newest.Source
		}
		ids[i] = x.ID(func(row int64) kb.ID { return f.pages[row].ID })
	}
	return ids, nil
}

// newest returns the newest entry of a page up to today.
func (f *found) newest(ctx context.Context, page int64) (out kb.Entry, err error) {
	if known, ok := f.latest[page]; ok {
		return known, nil
	}
	all, err := f.tx.Pages().Entries(ctx, page)
	for _, e := range all {
		if e.Date > out.Date && kb.CompareDates(e.Date, f.rules.Today) <= 0 {
			out = e
		}
	}
	f.latest[page] = out
	return out, err
}

// split separates findings into certain, possible and dismissed ones.
func (f *found) split(ctx context.Context) (certain, possible, dismissed []lifecycle.Finding, err error) {
	live := f.all
	if len(f.gone) > 0 {
		ids, err := f.settle(ctx, f.all)
		if err != nil {
			return nil, nil, nil, err
		}
		live = nil
		for i, x := range f.all {
			if _, gone := f.gone[ids[i]]; gone {
				dismissed = append(dismissed, x)
			} else {
				live = append(live, x)
			}
		}
	}
	for _, x := range live {
		if x.Certain {
			certain = append(certain, x)
		} else {
			possible = append(possible, x)
		}
	}
	return certain, possible, dismissed, nil
}
