package write

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// The metadata keys for the lifecycle of a page.
const (
	keyStatus     = "status"
	KeyStaleSince = "stale_since"  // a day
	KeyReason     = "stale_reason" // why it is
	KeyReviewed   = "reviewed"     // the day on which somebody last said that it holds
)

// Restate returns the edits of a page for a change of its status on a day.
func Restate(was lifecycle.Standing, turn lifecycle.Turn, day string) []doc.Edit {
	out := []doc.Edit{doc.SetProperty{Key: keyStatus, Value: string(turn.To)}}
	if turn.To != kb.Stale {
		return append(out, doc.RemoveProperty{Key: KeyStaleSince}, doc.RemoveProperty{Key: KeyReason})
	}
	if was.Status != kb.Stale {
		out = append(out, doc.SetProperty{Key: KeyStaleSince, Value: day})
	}
	if turn.Reason == "" {
		return append(out, doc.RemoveProperty{Key: KeyReason})
	}
	out = append(out, doc.SetProperty{Key: KeyReason, Value: turn.Reason})
	if lifecycle.IsSuperseded(turn.Reason) {
		out = append(out, doc.RemoveProperty{Key: KeyReviewed}) // of its metadata before it was replaced
	}
	return out
}

// standing reads the lifecycle metadata of a node.
func standing(n *doc.Node) lifecycle.Standing {
	status, ok := kb.ParseStatus(n.Status)
	if !ok {
		status = kb.Active
	}
	s := lifecycle.Standing{Status: status}
	if p, ok := n.Property(KeyReason); ok && len(p.Values) > 0 {
		s.Reason = p.Values[0]
	}
	return s
}

// checkTransitions refuses a status that the space's policy does not let the page have
// after the one that it has.
func (s *changeSet) checkTransitions(t *target) error {
	life := t.space.Policy.Lifecycle
	if len(life.Transitions) == 0 || !t.exists() || s.restores() {
		return nil
	}
	was := map[string]kb.Status{}
	codec := doc.ForNote(s.w.Codecs, t.space.Syntax, t.path)
	before := codec.Parse(t.path, t.old)
	for i := range before.Nodes {
		was[before.Nodes[i].ID] = standing(&before.Nodes[i]).Status
	}
	was[""] = standing(&before.Nodes[0]).Status
	after := codec.Parse(t.to, t.new)
	for i := range after.Nodes {
		n, id := &after.Nodes[i], after.Nodes[i].ID
		if i == 0 {
			id = ""
		}
		from, known := was[id]
		if !known {
			continue
		}
		if err := life.MayBecome(from, standing(n).Status); err != nil {
			return kb.AsError(err).With("path", t.path)
		}
	}
	return nil
}

// replaced is a relation of the set by which one page replaces another.
type replaced struct {
	from *target
	row  int64 // of the page that holds it; 0 for one that is new
	to   int64
	key  string // kb.NameKey of its type
}

// effects are the effects of a set's new and removed relations on other pages.
type effects struct {
	own     map[int64]bool // pages of the documents of the set
	after   []replaced
	gained  map[int64]bool     // pages to which one came
	turning map[int64][]string // by page, the refs of the pages that replace it
	pages   map[int64]kb.Page
}

// applyLinkEffects updates the status of pages for relations that the set adds or ends:
// a page that another one replaces becomes stale, if the policies of both their
// spaces say so. Links from other programs take effect at the next pass.
func (s *changeSet) applyLinkEffects(ctx context.Context) error {
	if s.restores() {
		return nil
	}
	var acting []*target
	for _, t := range s.docs {
		if t.textChanged() && len(t.space.Policy.Lifecycle.Relations(policy.MakesStale)) > 0 {
			acting = append(acting, t)
		}
	}
	if len(acting) == 0 {
		return nil
	}
	e := effects{own: map[int64]bool{}, gained: map[int64]bool{}, turning: map[int64][]string{}}
	err := s.w.Memory.View(ctx, func(tx store.Tx) error { return s.findEffects(ctx, tx, acting, &e) })
	if err != nil {
		return err
	}
	s.alone = len(e.turning) > 0
	for _, row := range slices.Sorted(maps.Keys(e.turning)) {
		if err := s.turn(ctx, e.pages[row], e.turning[row], e.gained[row]); err != nil {
			return err
		}
	}
	return nil
}

// findEffects finds the pages to which a relation that acts comes or goes.
func (s *changeSet) findEffects(ctx context.Context, tx store.Tx, acting []*target, e *effects) error {
	var before []replaced
	for _, t := range acting {
		rows := map[string]int64{}
		if t.exists() {
			pages, err := tx.Pages().ByPath(ctx, t.space.Row, t.path)
			if err != nil {
				return err
			}
			for _, p := range pages {
				rows[p.Node], e.own[p.Row] = p.Row, true
			}
			was, err := s.replaces(ctx, tx, t, t.path, t.old, rows)
			if err != nil {
				return err
			}
			before = append(before, was...)
		}
		if t.gone {
			continue
		}
		will, err := s.replaces(ctx, tx, t, t.to, t.new, rows)
		if err != nil {
			return err
		}
		e.after = append(e.after, will...)
	}
	var gained []replaced
	for _, r := range e.after {
		if !slices.Contains(before, r) {
			gained = append(gained, r)
			e.turning[r.to], e.gained[r.to] = nil, true
		}
	}
	for _, r := range before {
		if !slices.Contains(e.after, r) {
			e.turning[r.to] = nil
		}
	}
	for _, r := range gained {
		if err := s.checkCycle(ctx, tx, r, e); err != nil {
			return err
		}
	}
	return s.findReplacing(ctx, tx, gained, e)
}

// replaces returns the relations of a document that make other pages stale, with where
// they lead.
func (s *changeSet) replaces(ctx context.Context, tx store.Tx, t *target, path string, text []byte, rows map[string]int64) (out []replaced, err error) {
	acts := t.space.Policy.Lifecycle.Relations(policy.MakesStale)
	d := doc.ForNote(s.w.Codecs, t.space.Syntax, path).Parse(path, text)
	lines := doc.NewLines(d.Text)
	rec := &store.Document{Path: path, Pages: make([]store.PageRecord, len(d.Nodes))}
	for i := range d.Nodes {
		rec.Pages[i].Links = slices.DeleteFunc(index.Relations(&d.Nodes[i], lines), func(l kb.Link) bool {
			return !acts[kb.NameKey(l.Type)] || !l.Interval().Holds(s.day())
		})
	}
	if err := index.Lead(ctx, tx, t.space.Space, []*store.Document{rec}); err != nil {
		return nil, err
	}
	for i := range rec.Pages {
		node := ""
		if i > 0 {
			node = d.Nodes[i].ID
		}
		for _, l := range rec.Pages[i].Links {
			if l.To != 0 {
				out = append(out, replaced{t, rows[node], l.To, kb.NameKey(l.Type)})
			}
		}
	}
	return out, nil
}

// day is the day on which the set is written.
func (s *changeSet) day() string { return s.now.Format(time.DateOnly) }

// checkCycle refuses a relation by which a page would replace itself, directly or by
// way of others.
func (s *changeSet) checkCycle(ctx context.Context, tx store.Tx, r replaced, e *effects) error {
	acts := r.from.space.Policy.Lifecycle.Relations(policy.MakesStale)
	seen, next := map[int64]bool{r.to: true}, []int64{r.to}
	for len(next) > 0 && r.row != 0 {
		if slices.Contains(next, r.row) {
			return kb.Errorf(kb.Invalid, "%s would replace a page that replaces it", r.from.to).
				WithHint("Nothing was written. End the other relation first.").With("path", r.from.to)
		}
		var further []int64
		reach := func(row int64) {
			if !seen[row] {
				seen[row] = true
				further = append(further, row)
			}
		}
		for _, a := range e.after {
			if slices.Contains(next, a.row) {
				reach(a.to)
			}
		}
		edges, err := tx.Links().EdgesFrom(ctx, next)
		if err != nil {
			return err
		}
		for _, l := range edges {
			if !e.own[l.From] && acts[kb.NameKey(l.Type)] && l.Interval().Holds(s.day()) {
				reach(l.To)
			}
		}
		next = further
	}
	return nil
}

// findReplacing finds the pages that replace the affected ones: those with a
// new relation in the set first.
func (s *changeSet) findReplacing(ctx context.Context, tx store.Tx, gained []replaced, e *effects) error {
	rows := slices.Sorted(maps.Keys(e.turning))
	pages, err := tx.Pages().Get(ctx, rows)
	if err != nil {
		return err
	}
	e.pages = make(map[int64]kb.Page, len(pages))
	var far touchesOtherSpaces
	for _, p := range pages {
		e.pages[p.Row] = p
		if s.spaceOf(p) == nil && !slices.Contains(far.spaces, p.SpaceID) {
			far.spaces = append(far.spaces, p.SpaceID)
		}
	}
	if len(far.spaces) > 0 && !s.again && s.w.open != nil {
		return far
	}
	for _, r := range append(gained, e.after...) {
		to := s.spaceOf(e.pages[r.to])
		if by, turns := e.turning[r.to]; turns && to != nil && to.Policy.Lifecycle.Relations(policy.MakesStale)[r.key] {
			e.turning[r.to] = append(by, reasonRef(e.pages[r.to], r.from.space.Name, link.Slug(r.from.to)))
		}
	}
	edges, err := tx.Links().EdgesTo(ctx, rows)
	if err != nil {
		return err
	}
	for _, l := range edges {
		to := s.spaceOf(e.pages[l.To])
		if e.own[l.From] || to == nil || !to.Policy.Lifecycle.Relations(policy.MakesStale)[kb.NameKey(l.Type)] || !l.Interval().Holds(s.day()) {
			continue
		}
		from, err := tx.Pages().Get(ctx, []int64{l.From})
		if err != nil {
			return err
		}
		if len(from) == 0 {
			continue
		}
		e.turning[l.To] = append(e.turning[l.To], reasonRef(e.pages[l.To], from[0].Space, from[0].Slug))
	}
	return nil
}

// reasonRef names a page in the reason of another: by its slug, and its space where that
// is another one.
func reasonRef(to kb.Page, space, slug string) string {
	slug, _, _ = strings.Cut(slug, "#")
	if space == to.Space {
		return slug
	}
	return space + ":" + slug
}

// spaceOf is the space of a page, nil where the set does not change it.
func (s *changeSet) spaceOf(p kb.Page) *Space {
	for _, t := range s.docs {
		if t.space.ID == p.SpaceID {
			return t.space
		}
	}
	for _, o := range s.linking {
		if o.ID == p.SpaceID {
			return o
		}
	}
	return nil
}

// turn gives a page the status that it has by the pages which replace it. One that is
// active although some do was reviewed since, and needs a new one.
func (s *changeSet) turn(ctx context.Context, p kb.Page, by []string, gained bool) error {
	space := s.spaceOf(p)
	if space == nil || len(space.Policy.Lifecycle.Relations(policy.MakesStale)) == 0 {
		return nil
	}
	o, err := s.target(ctx, space, p.Path)
	if IsUnmerged(err) {
		return nil
	}
	if err != nil || o.gone || !o.exists() {
		return err
	}
	codec := doc.ForNote(s.w.Codecs, space.Syntax, o.to)
	d := codec.Parse(o.to, o.new)
	node, err := d.NodeIndex(p.Node)
	if err != nil {
		return nil // it is not in the document any more
	}
	was := standing(&d.Nodes[node])
	turn, turns := was.Superseded(by)
	if !turns || was.Status == kb.Active && !gained || space.Policy.Lifecycle.MayBecome(was.Status, turn.To) != nil {
		return nil
	}
	if err := space.Check(policy.Request{Actor: s.req.Actor, Operation: policy.OpEdit, Path: o.path}); err != nil {
		return err
	}
	bytes, err := codec.Apply(d, p.Node, Restate(was, turn, s.day())...)
	if kb.CodeOf(err) == kb.Invalid {
		return nil // its metadata cannot be parsed, and has no status
	}
	if err != nil {
		return err
	}
	o.new = bytes
	note := "active again: no page replaces it any more"
	if turn.To == kb.Stale {
		note = "stale: " + turn.Reason
	}
	o.notes = append(o.notes, note)
	return nil
}
