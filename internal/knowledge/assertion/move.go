package assertion

import (
	"bytes"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Moved describes the result of moving a sidecar's data to another page.
type Moved struct {
	Changes []write.Change
	Left    []string // refs of pages with sidecars that cannot be changed
	Stays   []string // names of data that both pages have in different versions: it stays with the old page
}

// Move returns the changes that move the sidecar's data of a page to another page
// of its space, and repoint all assertions about it, in any sidecar, to the other
// page. Superseding assertions keep their reference.
func Move(ctx context.Context, sess *memory.Session, from, into kb.Page) (out Moved, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		m := &mover{lister: lister{Session: sess, tx: tx}, from: from, into: into, numbers: map[int64]int64{}}
		out, err = m.move(ctx)
		return err
	})
	return out, err
}

// mover moves assertions in one transaction.
type mover struct {
	lister
	from, into kb.Page
	keepers    []*keeper
	left       []string
	numbers    map[int64]int64 // new numbers of assertions, by the old ones
}

// keeper is a page with its sidecar.
type keeper struct {
	page     kb.Page
	space    *write.Space
	old, now []byte
	about    map[claim][2]bool // assertions with the moved page as subject or object
}

// claim is an assertion in a page's sidecar.
type claim struct {
	kb.Claim
	nth int
}

func (m *mover) move(ctx context.Context) (out Moved, err error) {
	var both [2]*keeper
	for i, p := range []kb.Page{m.from, m.into} {
		if both[i], err = m.keeper(ctx, p); err != nil {
			return out, err
		}
		if both[i] == nil {
			return out, kb.Errorf(kb.Refused, "%s cannot be changed here", p.Ref())
		}
	}
	if err := m.find(ctx); err != nil {
		return out, err
	}
	was := map[*keeper][]int64{}
	for _, k := range m.keepers {
		if was[k], err = numbers(k.page, k.now); err != nil {
			return out, err
		}
		if err := m.rename(ctx, k); err != nil {
			return out, err
		}
	}
	from, into := both[0], both[1]
	joined := sidecar.Joined{Text: into.now}
	if from.now != nil {
		if joined, err = sidecar.Join(into.now, from.now); err != nil {
			return out, err
		}
		from.now, into.now = joined.Left, joined.Text
	}
	for _, k := range m.keepers {
		keeps := k
		if k == from {
			keeps = into
		}
		is, err := numbers(keeps.page, keeps.now)
		if err != nil {
			return out, err
		}
		for i, n := range was[k] {
			if k == from {
				i = joined.At[i]
			}
			if n != is[i] && n != 0 {
				m.numbers[n] = is[i]
			}
		}
	}
	if err := m.renumber(ctx); err != nil {
		return out, err
	}
	for _, k := range m.keepers {
		if !bytes.Equal(k.old, k.now) {
			out.Changes = append(out.Changes, write.Change{
				Space: k.space, Path: k.page.Path, Of: write.OfPage(k.page), Expected: new(k.page.Version), Action: write.PutSide{Bytes: k.now},
			})
		}
	}
	out.Left, out.Stays = m.left, joined.Stays
	return out, nil
}

// keeper reads the sidecar of a page; nil if it cannot be changed here.
func (m *mover) keeper(ctx context.Context, p kb.Page) (*keeper, error) {
	if i := slices.IndexFunc(m.keepers, func(k *keeper) bool { return k.page.Row == p.Row }); i >= 0 {
		return m.keepers[i], nil
	}
	in, err := space.OfPage(ctx, m.tx, p)
	if err != nil {
		return nil, err
	}
	home, err := m.Spaces.OpenSpace(ctx, in)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil || home.Check(policy.Request{Actor: m.Session.Actor, Operation: policy.OpWrite, Path: p.Path}) != nil {
		if !slices.Contains(m.left, p.Ref()) {
			m.left = append(m.left, p.Ref())
		}
		return nil, nil
	}
	d, err := m.tx.Documents().ByPath(ctx, in.Row, p.Path)
	if err != nil {
		return nil, err
	}
	side, err := index.StoredSide(ctx, m.tx, d.Side)
	if err != nil {
		return nil, err
	}
	k := &keeper{page: p, space: home, old: side.Bytes, now: side.Bytes, about: map[claim][2]bool{}}
	m.keepers = append(m.keepers, k)
	return k, nil
}

// find finds the assertions about the page, in all sidecars.
func (m *mover) find(ctx context.Context) error {
	_, keys, err := m.meant(ctx, string(m.from.ID))
	if err != nil {
		return err
	}
	for i, f := range []store.AssertionFilter{{Subjects: keys}, {Objects: keys}} {
		found, err := m.tx.Assertions().List(ctx, f)
		if err != nil {
			return err
		}
		pages, err := pagesOf(ctx, m.tx, found)
		if err != nil {
			return err
		}
		all := statedOf(found, pages)
		if err := m.lead(ctx, all); err != nil {
			return err
		}
		for _, s := range all {
			if s.ends[i].To != m.from.Row {
				continue
			}
			k, err := m.keeper(ctx, s.in)
			if err != nil {
				return err
			}
			if k != nil {
				ends := k.about[claim{s.Claim(), s.Nth}]
				ends[i] = true
				k.about[claim{s.Claim(), s.Nth}] = ends
			}
		}
	}
	return nil
}

// rename repoints the assertions in a page's sidecar to the target page.
func (m *mover) rename(ctx context.Context, k *keeper) error {
	if len(k.about) == 0 {
		return nil
	}
	at := k.page
	if k.page.Row == m.from.Row {
		at = m.into
	}
	name, err := change.Target(ctx, m.Session, m.tx, at, m.into)
	if err != nil {
		return err
	}
	seen := map[kb.Claim]int{}
	k.now, err = sidecar.Restate(k.now, func(_ int, a sidecar.Assertion) sidecar.Assertion {
		ends := k.about[claim{a.Claim(), seen[a.Claim()]}]
		seen[a.Claim()]++
		if ends[0] {
			a.Subject = name
		}
		if ends[1] {
			a.Object = name
		}
		return a
	})
	return err
}

// renumber updates the numbers of superseded assertions.
func (m *mover) renumber(ctx context.Context) error {
	if len(m.numbers) == 0 {
		return nil
	}
	found, err := m.tx.Assertions().List(ctx, store.AssertionFilter{Superseding: true})
	if err != nil {
		return err
	}
	pages, err := pagesOf(ctx, m.tx, found)
	if err != nil {
		return err
	}
	for _, a := range found {
		if _, other := m.numbers[a.Supersedes]; other {
			if _, err := m.keeper(ctx, pages[a.Page]); err != nil {
				return err
			}
		}
	}
	for _, k := range m.keepers {
		if k.now == nil {
			continue
		}
		if k.now, err = sidecar.Restate(k.now, func(_ int, a sidecar.Assertion) sidecar.Assertion {
			if n, other := m.numbers[a.Supersedes]; other {
				a.Supersedes = n
			}
			return a
		}); err != nil {
			return err
		}
	}
	return nil
}

// numbers returns the numbers of the assertions in a page's sidecar, in the
// order of its list; 0 for an entry that is not an assertion.
func numbers(p kb.Page, text []byte) ([]int64, error) {
	if text == nil {
		return nil, nil
	}
	f, err := sidecar.Parse(text)
	if err != nil {
		return nil, err
	}
	out, seen := make([]int64, len(f.Assertions)), map[kb.Claim]int{}
	for i, at := range f.Assertions {
		a, err := f.Assertion(at)
		if err != nil {
			continue
		}
		out[i] = link.AssertionNumber(p.ID, a.Claim(), seen[a.Claim()])
		seen[a.Claim()]++
	}
	return out, nil
}
