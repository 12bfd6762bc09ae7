package assertion

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Add adds an assertion, and ends the superseded one in the same write. An existing
// assertion is unchanged.
func Add(ctx context.Context, sess *memory.Session, req api.AssertRequest) (api.Written, error) {
	a, err := readRequest(sess, req)
	if err != nil {
		return api.Written{}, err
	}
	named, in, err := findSubject(ctx, sess, req)
	if err != nil {
		return api.Written{}, err
	}
	var old *stated
	if req.Supersedes != 0 {
		if old, err = supersede(ctx, sess, &a, req.Supersedes); err != nil {
			return api.Written{}, err
		}
	}
	id, edits, err := plan(ctx, sess, named.Page, a, old)
	if err != nil {
		return api.Written{}, err
	}
	var changes []write.Change
	switch {
	case len(edits) == 0 || old == nil || old.ValidUntil == "":
	case old.in.SpaceID == named.Page.SpaceID && old.in.Path == named.Page.Path:
		edits = append([]sidecar.Edit{old.end(old.ValidUntil)}, edits...)
	default:
		other, there, err := change.Writable(ctx, sess, old.in.Ref())
		if err != nil {
			return api.Written{}, err
		}
		changes = append(changes, sidecarChange(other.Page, there, nil, old.end(old.ValidUntil)))
	}
	changes = append(changes, sidecarChange(named.Page, in, req.Expected, edits...))
	w, err := change.Apply(ctx, sess, "assert", req.WriteOptions, changes)
	w.ID = id
	return w, err
}

// supersede finds the superseded assertion and its end, which is empty if it has
// ended already.
func supersede(ctx context.Context, sess *memory.Session, a *sidecar.Assertion, id int64) (*stated, error) {
	old, err := numbered(ctx, sess, id)
	if err != nil {
		return nil, err
	}
	a.Supersedes = id
	if old.ValidUntil != "" {
		old.ValidUntil = ""
		return &old, nil
	}
	if old.ValidUntil = a.ValidFrom; old.ValidUntil == "" {
		old.ValidUntil = sess.Now().Format(time.DateOnly)
	}
	return &old, nil
}

// readRequest builds the assertion of a request.
func readRequest(sess *memory.Session, req api.AssertRequest) (a sidecar.Assertion, err error) {
	a = sidecar.Assertion{
		Statement: kb.Statement{
			Subject: tidy(req.Subject), Predicate: tidy(req.Predicate), Object: tidy(req.Object), Confidence: req.Confidence,
			AssertedBy: "agent", Source: tidy(req.Source), Evidence: tidy(req.Evidence),
		},
		Created: sess.Now().UTC().Format(time.RFC3339),
	}
	if sess.Actor.Kind == kb.Human {
		a.AssertedBy = "manual"
	}
	if a.ValidFrom, err = change.Date(req.Since, sess.Now()); err != nil {
		return a, err
	}
	a.ValidUntil, err = change.Date(req.Until, sess.Now())
	return a, err
}

// tidy joins the lines of a text.
func tidy(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
}

// findSubject finds the page with the sidecar for an assertion.
func findSubject(ctx context.Context, sess *memory.Session, req api.AssertRequest) (ref.Named, *write.Space, error) {
	if req.On != "" {
		return change.Writable(ctx, sess, req.On)
	}
	named, in, err := change.Writable(ctx, sess, req.Subject)
	if kb.CodeOf(err) == kb.NotFound {
		err = kb.Errorf(kb.Usage, "no page is called %q: the page that is to keep the assertion must be named", req.Subject).WithReason(kb.AssertedNowhere)
	}
	return named, in, err
}

// sidecarChange returns the change of a page's sidecar.
func sidecarChange(p kb.Page, in *write.Space, expected *int, edits ...sidecar.Edit) write.Change {
	return write.Change{Space: in, Path: p.Path, Of: write.OfPage(p), Expected: expected, Action: write.EditSide{Edits: edits}}
}

// plan returns the edits that add an assertion to the sidecar of a page, and its
// number. old is the superseded assertion, nil for none.
func plan(ctx context.Context, sess *memory.Session, on kb.Page, a sidecar.Assertion, old *stated) (id int64, edits []sidecar.Edit, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		for _, text := range []*string{&a.Subject, &a.Object} {
			if err := nameOf(ctx, sess, tx, on, text); err != nil {
				return err
			}
		}
		keeper, err := own(ctx, tx, on)
		if err != nil {
			return err
		}
		in, err := space.OfPage(ctx, tx, on)
		if err != nil {
			return err
		}
		all, err := tx.Assertions().List(ctx, store.AssertionFilter{Pages: []int64{keeper.Row}})
		if err != nil {
			return err
		}
		asked := stated{Assertion: stored(a), in: keeper}
		list := append(statedOf(all, map[int64]kb.Page{keeper.Row: keeper}), asked)
		if err := lead(ctx, tx, in.Row, list); err != nil {
			return err
		}
		last := len(list) - 1
		for i := range list[:last] {
			if old != nil && list[i].number() == old.number() && list[i].ValidUntil == "" {
				list[i].ValidUntil = old.ValidUntil
			}
		}
		same, err := alike(list[:last], list[last])
		if err != nil {
			return err
		}
		if same != nil {
			if id = same.number(); same.Supersedes != a.Supersedes && old != nil {
				return kb.Errorf(kb.Conflict, "assertion %d says the same already, and does not supersede %d", id, a.Supersedes).With("id", id)
			}
			return nil
		}
		for _, s := range list[:last] {
			if s.Claim() == asked.Claim() {
				asked.Nth++
			}
		}
		id, edits = asked.number(), []sidecar.Edit{sidecar.AddAssertion{Assertion: a}}
		return nil
	})
	return id, edits, err
}

// stored converts an assertion to the form of the index, with the fields needed for
// comparison.
func stored(a sidecar.Assertion) kb.Assertion {
	return kb.Assertion{Subject: a.Subject, Predicate: a.Predicate, Object: a.Object, ValidFrom: a.ValidFrom, ValidUntil: a.ValidUntil}
}

// alike returns the equal assertion among several, nil for none. An equal one with
// a different, overlapping time is kb.Invalid.
func alike(all []stated, asked stated) (*stated, error) {
	for i := range all {
		s := &all[i]
		if !same(s.ends[0], asked.ends[0]) || !same(s.ends[1], asked.ends[1]) || kb.NameKey(s.Predicate) != kb.NameKey(asked.Predicate) {
			continue
		}
		if s.Interval() == asked.Interval() {
			return s, nil
		}
		if s.Interval().Overlaps(asked.Interval()) {
			return nil, kb.Errorf(kb.Invalid, "assertion %d says the same for %s, which overlaps", s.number(), when(s.Interval())).
				WithHint("Nothing was written. End that one first, or give other dates.").With("id", s.number())
		}
	}
	return nil, nil
}

func when(i kb.Interval) string {
	if i == (kb.Interval{}) {
		return "all times"
	}
	return i.String()
}

// nameOf replaces a text that names a page, but does not resolve to it as a link,
// by a link target of the page.
func nameOf(ctx context.Context, sess *memory.Session, tx store.Tx, from kb.Page, text *string) error {
	p, err := sess.Refs.ResolveToChange(ctx, tx, *text)
	if code := kb.CodeOf(err); code == kb.NotFound || code == kb.Ambiguous || code == kb.Usage {
		return nil
	}
	if err != nil {
		return err
	}
	in, err := space.OfPage(ctx, tx, from)
	if err != nil {
		return err
	}
	as := []stated{{Assertion: kb.Assertion{Subject: *text}, in: from}}
	if err := lead(ctx, tx, in.Row, as); err != nil {
		return err
	}
	end := as[0].ends[0]
	name, page, _ := link.CrossSpace(link.Ref{Kind: end.Kind, Name: end.Name})
	_, same := link.Space([]kb.Space{in}, name)
	// Within its own space the page's name alone must resolve to it, not the name
	// with the space as prefix.
	if end.To == p.Row && !(same && p.SpaceID == from.SpaceID && link.Key(page.Kind, page.Name) != end.Key) {
		return nil
	}
	*text, err = change.Target(ctx, sess, tx, from, p)
	return err
}

// Close sets the end of an assertion.
func Close(ctx context.Context, sess *memory.Session, req api.AssertCloseRequest) (api.Written, error) {
	if req.Until == "" {
		req.Until = "today"
	}
	until, err := change.Date(req.Until, sess.Now())
	if err != nil {
		return api.Written{}, err
	}
	s, err := numbered(ctx, sess, req.ID)
	if err != nil {
		return api.Written{}, err
	}
	if s.ValidUntil != "" {
		return api.Written{}, kb.Errorf(kb.Conflict, "assertion %d ended in %s already", req.ID, s.ValidUntil)
	}
	named, in, err := change.Writable(ctx, sess, s.in.Ref())
	if err != nil {
		return api.Written{}, err
	}
	w, err := change.Apply(ctx, sess, "assert-close", req.WriteOptions, []write.Change{sidecarChange(named.Page, in, req.Expected, s.end(until))})
	w.ID = req.ID
	return w, err
}

// end returns the edit that ends the assertion.
func (s stated) end(until string) sidecar.Edit {
	return sidecar.EndAssertion{Claim: s.Claim(), Nth: s.Nth, Until: until}
}

// numbered returns the assertion with a number.
func numbered(ctx context.Context, sess *memory.Session, number int64) (stated, error) {
	var found []stated
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		rows, err := tx.Pages().ByIDs(ctx, func(id kb.ID) bool { return link.MayHold(id, number) })
		if err != nil || len(rows) == 0 {
			return err
		}
		all, err := tx.Assertions().List(ctx, store.AssertionFilter{Pages: rows})
		if err != nil {
			return err
		}
		pages, err := pagesOf(ctx, tx, all)
		found = slices.DeleteFunc(statedOf(all, pages), func(s stated) bool { return s.number() != number })
		return err
	})
	switch {
	case err != nil:
		return stated{}, err
	case len(found) == 0:
		return stated{}, kb.Errorf(kb.NotFound, "no assertion has the id %d", number).WithHint("Assertions are listed with their ids. Relations and frontmatter keys are changed in the page.")
	case len(found) > 1:
		var at []string
		for _, s := range found {
			at = append(at, fmt.Sprintf("line %d of the sidecar of %s", s.Line, s.in.Ref()))
		}
		return stated{}, kb.Errorf(kb.Ambiguous, "%d assertions have the id %d: %s", len(found), number, strings.Join(at, ", "))
	}
	return found[0], nil
}
