package lifecycle

import "github.com/cairn-kb/cairn/internal/kb"

// against finds assertions that hold of which a relation says that they are over, and no
// other that they hold: of the same predicate for certain, of one that lasts until one
// leaves perhaps.
func (r Rules) against(facts []Fact) (out []Finding) {
	for _, a := range facts {
		if a.Source != Asserted || a.Object.Page == 0 || r.Many[kb.NameKey(a.Predicate)] || !a.Holds(r.Today) {
			continue
		}
		if l, same := r.latest(a, facts); l != nil {
			out = append(out, Finding{Against, same && !l.Object.Unclear, a, *l})
		}
	}
	return out
}

// latest returns the relation that ended last of those against an assertion, and whether
// it says the same; nil where there is none, or one says that it holds.
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

// Lost is the finding of an assertion that holds and whose evidence its page does not
// have any more.
func (r Rules) Lost(a Fact) (Finding, bool) {
	return Finding{Unproved, true, a, Fact{Page: a.Page, Subject: a.Page, Source: Truth}}, a.Holds(r.Today)
}
