package assertion

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/index"

	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// stated is an assertion with the pages that it refers to.
type stated struct {
	kb.Assertion
	in      kb.Page    // the document's own page, or the page of a derived assertion
	ends    [2]kb.Link // subject and object, as links
	derived api.Derived
	to      kb.ID // of the object of a relation, "" for none
}

// number identifies the assertion: for a relation it is the link's number; a
// property has none.
func (s stated) number() int64 {
	switch s.derived {
	case api.FromRelation:
		e := link.Edge{Page: s.in.ID, Type: s.Predicate, To: string(s.to), Since: s.ValidFrom}
		if s.to == "" {
			e.To = s.Object
		}
		return e.Number(s.Nth)
	case api.FromProperty:
		return 0
	}
	return link.AssertionNumber(s.in.ID, s.Claim(), s.Nth)
}

// anyStatus selects assertions of every status.
const anyStatus api.AssertionStatus = "all"

// Statuses are the valid status filters.
func Statuses() []api.AssertionStatus {
	return []api.AssertionStatus{api.Holds, api.Future, api.Ended, api.Superseded, anyStatus}
}

// List lists assertions by page, in document order: those of sidecars, then
// relations, then properties.
func List(ctx context.Context, sess *memory.Session, req api.AssertionsRequest) (out api.Assertions, err error) {
	if !req.All() {
		sess = sess.In(req.Space)
	}
	if req.AsOf != "" {
		return believed(ctx, sess, req)
	}
	return list(ctx, sess, req, func() (kb.Page, error) { return freshness.Page(ctx, sess, req.On) })
}

// list is List; find returns the page of the request's ref.
func list(ctx context.Context, sess *memory.Session, req api.AssertionsRequest, find func() (kb.Page, error)) (out api.Assertions, err error) {
	out.Items = []api.Assertion{}
	req.Status = cmp.Or(req.Status, api.Holds)
	if !slices.Contains(Statuses(), req.Status) {
		return out, kb.Errorf(kb.Usage, "unknown assertion status %q", req.Status).WithHint("Write current, future, ended, superseded or all.")
	}
	if out.At, err = change.Date(req.At, sess.Now()); err != nil {
		return out, err
	}
	out.At = cmp.Or(out.At, sess.Now().Format(time.DateOnly))
	var page *kb.Page
	if req.On != "" {
		p, err := find()
		if err != nil {
			return out, err
		}
		page = &p
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		l := lister{Session: sess, tx: tx, at: out.At}
		all, err := l.about(ctx, req, page)
		if err != nil {
			return err
		}
		if l.by, err = successors(ctx, tx); err != nil {
			return err
		}
		shown := slices.DeleteFunc(slices.Clone(all), func(s stated) bool {
			return req.Status != anyStatus && req.Status != l.status(s)
		})
		out.Hidden, out.Total = len(all)-len(shown), len(shown)
		shown = shown[min(req.Offset, len(shown)):]
		shown = shown[:min(api.Limit(req.Limit), len(shown))]
		out.Next = api.Next(req.Offset, len(shown), out.Total)
		return l.describe(ctx, shown, &out)
	})
	return out, err
}

// believed is List as of a time.
func believed(ctx context.Context, sess *memory.Session, req api.AssertionsRequest) (out api.Assertions, err error) {
	asOf := req.AsOf
	req.AsOf = ""
	err = retrieve.Past(ctx, sess, asOf, req.All(), func(then *memory.Session) (err error) {
		at := then.Now().UTC().Truncate(time.Second)
		out, err = list(ctx, then, req, func() (p kb.Page, err error) {
			err = then.DB.View(ctx, func(tx store.Tx) error {
				p, err = then.Refs.Resolve(ctx, tx, req.On)
				return err
			})
			return p, err
		})
		out.AsOf = &at
		return err
	})
	return out, err
}

// lister builds a list in one transaction.
type lister struct {
	*memory.Session
	tx store.Tx
	at string          // ISO date
	by map[int64]int64 // superseding assertion, by the number of the superseded one
}

// about returns the assertions about the requested subject, of any status.
func (l *lister) about(ctx context.Context, req api.AssertionsRequest, page *kb.Page) (all []stated, err error) {
	var f store.AssertionFilter
	if page != nil {
		keeper, err := own(ctx, l.tx, *page)
		if err != nil {
			return nil, err
		}
		f.Pages = []int64{keeper.Row}
	} else if f.Spaces, err = l.Session.Spaces.ScopeTx(ctx, l.tx, req.All()); err != nil {
		return nil, err
	}
	var ends [2]kb.Link
	for i, want := range []struct {
		text string
		keys *[]string
	}{{req.Subject, &f.Subjects}, {req.Object, &f.Objects}} {
		if want.text == "" {
			continue
		}
		if ends[i], *want.keys, err = l.meant(ctx, want.text); err != nil {
			return nil, err
		}
	}
	found, err := l.tx.Assertions().List(ctx, f)
	if err != nil {
		return nil, err
	}
	pages, err := pagesOf(ctx, l.tx, found)
	if err != nil {
		return nil, err
	}
	all = statedOf(found, pages)
	if err := l.lead(ctx, all); err != nil {
		return nil, err
	}
	if page != nil {
		f.Pages = []int64{page.Row}
	}
	more, err := l.derived(ctx, f, ends)
	return slices.DeleteFunc(append(all, more...), func(s stated) bool {
		if req.Predicate != "" && kb.NameKey(s.Predicate) != kb.NameKey(req.Predicate) {
			return true
		}
		return ends[0].Name != "" && !same(s.ends[0], ends[0]) || ends[1].Name != "" && !same(s.ends[1], ends[1])
	}), err
}

// meant resolves a name, and returns the keys of the assertions that may refer to
// it.
func (l *lister) meant(ctx context.Context, text string) (as kb.Link, keys []string, err error) {
	as = link.Named(text)
	p, err := l.Session.Refs.Resolve(ctx, l.tx, text)
	if code := kb.CodeOf(err); code == kb.NotFound || code == kb.Ambiguous {
		return as, []string{as.Key}, nil
	}
	if err != nil {
		return as, nil, err
	}
	as.To = p.Row
	in, err := space.OfPage(ctx, l.tx, p)
	if err != nil {
		return as, nil, err
	}
	d, err := l.tx.Documents().ByPath(ctx, in.Row, p.Path)
	if err != nil {
		return as, nil, err
	}
	if d, err = l.tx.Documents().Load(ctx, d.Row); err != nil {
		return as, nil, err
	}
	keys = []string{string(p.ID)}
	for _, rec := range d.Pages {
		if rec.Page.Row == p.Row {
			keys = append(keys, rec.Names...)
		}
	}
	return as, link.KeysAbroad(in.Name, keys), nil
}

// lead resolves the subjects and objects of assertions, space by space.
func (l *lister) lead(ctx context.Context, all []stated) error {
	spaces, err := l.tx.Spaces().All(ctx)
	if err != nil {
		return err
	}
	rows := map[kb.ID]int64{}
	for _, s := range spaces {
		rows[s.ID] = s.Row
	}
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(s stated) bool { return s.in.SpaceID != all[0].in.SpaceID })
		if n < 0 {
			n = len(all)
		}
		if err := lead(ctx, l.tx, rows[all[0].in.SpaceID], all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// lead resolves the subjects and objects of the assertions of one space.
func lead(ctx context.Context, tx store.Tx, in int64, all []stated) error {
	var seen []index.Seen
	for i := range all {
		s := &all[i]
		s.ends = [2]kb.Link{link.Named(s.Subject), link.Named(s.Object)}
		for j := range s.ends {
			seen = append(seen, index.Seen{Link: &s.ends[j], Path: s.in.Path})
		}
	}
	return index.LeadSeen(ctx, tx, in, seen)
}

// same reports whether two names refer to the same page, or are the same name
// without a page.
func same(a, b kb.Link) bool {
	if a.To != 0 || b.To != 0 {
		return a.To == b.To
	}
	return kb.NameKey(a.Name) == kb.NameKey(b.Name)
}

// own returns the main page of the document that contains a page.
func own(ctx context.Context, tx store.Tx, p kb.Page) (kb.Page, error) {
	if p.Node == "" {
		return p, nil
	}
	in, err := space.OfPage(ctx, tx, p)
	if err != nil {
		return p, err
	}
	all, err := tx.Pages().ByPath(ctx, in.Row, p.Path)
	if err != nil || len(all) == 0 {
		return p, err
	}
	return all[0], nil
}

// pagesOf returns the pages of assertions, by row.
func pagesOf(ctx context.Context, tx store.Tx, all []kb.Assertion) (map[int64]kb.Page, error) {
	rows := make([]int64, len(all))
	for i, a := range all {
		rows[i] = a.Page
	}
	return store.PagesByRow(ctx, tx, rows)
}

func statedOf(all []kb.Assertion, pages map[int64]kb.Page) []stated {
	out := make([]stated, len(all), len(all)+1)
	for i, a := range all {
		out[i] = stated{Assertion: a, in: pages[a.Page]}
	}
	return out
}

// successors maps superseded assertions to the ones that supersede them.
func successors(ctx context.Context, tx store.Tx) (map[int64]int64, error) {
	found, err := tx.Assertions().List(ctx, store.AssertionFilter{Superseding: true})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	pages, err := pagesOf(ctx, tx, found)
	out := map[int64]int64{}
	for _, s := range statedOf(found, pages) {
		out[s.Supersedes] = s.number()
	}
	return out, err
}

// status returns the status of an assertion at the time of the list.
func (l *lister) status(s stated) api.AssertionStatus {
	switch i := s.Interval(); {
	case i.Holds(l.at):
		return api.Holds
	case i.From != "" && kb.CompareDates(i.From, l.at) > 0:
		return api.Future
	case l.by[s.number()] != 0:
		return api.Superseded
	}
	return api.Ended
}

// describe adds assertions to a list.
func (l *lister) describe(ctx context.Context, all []stated, out *api.Assertions) error {
	var rows []int64
	for _, s := range all {
		rows = append(rows, s.Page, s.ends[0].To, s.ends[1].To)
	}
	pages, err := store.PagesByRow(ctx, l.tx, rows)
	if err != nil {
		return err
	}
	ref := func(row int64) string {
		if p, ok := pages[row]; ok {
			return p.Ref()
		}
		return ""
	}
	for _, s := range all {
		s.in, s.to = pages[s.Page], pages[s.ends[1].To].ID
		if s.derived != "" {
			s.Subject = s.in.Title
		}
		a := api.Assertion{
			ID: s.number(), Ref: s.in.Ref(), Subject: s.Subject, SubjectRef: ref(s.ends[0].To), Predicate: s.Predicate,
			Object: s.Object, ObjectRef: ref(s.ends[1].To), ValidFrom: s.ValidFrom, ValidUntil: s.ValidUntil, Status: l.status(s),
			Confidence: s.Confidence, AssertedBy: s.AssertedBy, Source: s.Source, Evidence: s.Evidence, Lost: s.Lost(),
			Supersedes: s.Supersedes, SupersededBy: l.by[s.number()], CreatedAt: s.Created,
			Derived: s.derived,
		}
		if s.Lines[0] > 0 {
			a.Lines = s.Lines[:]
		}
		out.Items = append(out.Items, a)
	}
	return nil
}
