package lifecycle

import "github.com/cairn-kb/cairn/internal/kb"

// against finds current assertions and properties that a relation contradicts
// because it has ended, while no other relation is current: certain for the same
// predicate, possible for one that lasts until somebody leaves.
func (r Rules) against(facts []Fact) (out []Finding) {
	for _, a := range facts {
		if a.Source != Property && (a.Source != Asserted || a.Object.Page == 0) || r.Many[kb.NameKey(a.Predicate)] || !a.Holds(r.Today) {
			continue
		}
		if l, same := r.latest(a, facts); l != nil {
			out = append(out, Finding{Against, same && !l.Object.Unclear, a, *l})
		}
	}
	return out
}

// latest returns the latest ended relation against an assertion, and whether it
// has the same predicate; nil when there is none, or one is current.
func (r Rules) latest(a Fact, facts []Fact) (out *Fact, same bool) {
	for i := range facts {
		l := &facts[i]
		if l.Source != Relation || l.Object.key() != a.Object.key() {
			continue
		}
		alike := kb.NameKey(l.Predicate) == kb.NameKey(a.Predicate)
		switch {
		case alike && l.Holds(r.Today):
			return nil, false
		case !l.Ended(r.Today) || !alike && (same || !r.Lasting[kb.NameKey(l.Predicate)]):
		case a.From != "" && kb.CompareDates(a.From, l.Until) >= 0: // it began again
		case out == nil || alike && !same || l.Until > out.Until:
			out, same = l, alike
		}
	}
	return out, same
}

// Lost is the finding for a current assertion without its evidence in the page.
func (r Rules) Lost(a Fact) (Finding, bool) {
	return Finding{Unproved, true, a, Fact{Page: a.Page, Subject: a.Page, Source: Truth}}, a.Holds(r.Today)
}
