package lifecycle

import (
	"cmp"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Change is the change of a fact.
type Change struct {
	Fact
	Is   kb.Interval
	Gone bool // it no longer holds at any time
}

// Settle decides the changes that keep one side of a finding, A or B, and end
// the other, in order of page and line. Statements of the other side end on
// until or, when that is "", at the start of the kept side or at the end that
// it reports, else today. Facts are all facts about the subject, on any page.
//
// Some statements cannot be ended, and are not settled here: a text, the age of
// a truth, and relations that have ended already.
func (r Rules) Settle(x Finding, keepB bool, until string, facts []Fact) (out []Change, err error) {
	kept, lost := x.A, x.B
	if keepB {
		kept, lost = lost, kept
	}
	switch {
	case x.Kind == Stale:
		return nil, kb.Errorf(kb.Usage, "neither side of a stale truth can be ended").
			WithHint("Rewrite the truth from the newest entries, or state its date in it.")
	case lost.Source == Text:
		return nil, kb.Errorf(kb.Usage, "a sentence cannot be ended: it reports an end itself").
			WithHint("Keep the other side, or rewrite the sentence in line %d.", lost.Line)
	case x.Kind == Stated && !keepB:
		return nil, kb.Errorf(kb.Usage, "a whole page cannot be ended").
			WithHint("Make the outdated page stale, or keep the other side: both are current then, and the relation ends.")
	case x.Kind == Overlapping:
		is, gone := without(lost.Interval, kept.Interval)
		if until != "" {
			is, gone = kb.Interval{From: lost.From, Until: until}, false
		}
		return []Change{{lost, is, gone}}, nil
	case x.Kind == Against && !keepB:
		return nil, kb.Errorf(kb.Usage, "the relation has ended already: there is nothing to end").
			WithHint("Write in line %d that it holds, or since when it holds again; or keep the other side.", lost.Line)
	case lost.Source == Truth:
		return nil, kb.Errorf(kb.Usage, "a text that does not have the evidence cannot be ended").
			WithHint("Record it in the page, dismiss the finding, or keep the other side.")
	case !slices.Contains([]Kind{CrossPage, Temporal, Against, Stated, Unproved}, x.Kind):
		return nil, kb.Errorf(kb.Usage, "a contradiction of the type %s cannot be settled by ending a side", x.Kind)
	}
	if x.Kind == Stated { // which concerns only itself
		facts = []Fact{lost}
	}
	for _, f := range facts {
		switch {
		case !r.same(f, lost),
			x.Kind == Temporal && (f.Until != "" || f.startsAfter(kept.end())),
			x.Kind == Against && f.From != "" && kb.CompareDates(f.From, kept.Until) >= 0,
			x.Kind == Unproved && (f.Page != lost.Page || f.Number != lost.Number):
			continue
		}
		end := until
		if end == "" {
			end = r.endOf(f, kept)
		}
		c := Change{Fact: f, Is: kb.Interval{From: f.From, Until: end}}
		if c.Is.Holds(r.Today) {
			return nil, kb.Errorf(kb.Usage, "a side that ends on %s still holds today", end)
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Line, b.Line)) })
	return out, nil
}

// same reports whether a current fact states the same as another one.
func (r Rules) same(f, of Fact) bool {
	return f.Source != Text && f.States(of) && f.Holds(r.Today)
}

// States reports whether two facts have the same subject, predicate and object.
func (f Fact) States(of Fact) bool {
	return f.Subject == of.Subject && kb.NameKey(f.Predicate) == kb.NameKey(of.Predicate) && f.Object.key() == of.Object.key()
}

// startsAfter reports whether a fact began after a date, which may be "".
func (f Fact) startsAfter(date string) bool {
	return f.From != "" && date != "" && kb.CompareDates(f.From, date) > 0
}

// endOf returns when a fact ended, assuming that another one holds.
func (r Rules) endOf(f, kept Fact) string {
	if kept.Source == Text || kept.Ended(r.Today) {
		return cmp.Or(kept.end(), r.Today)
	}
	if kept.From != "" && (f.From == "" || kb.CompareDates(f.From, kept.From) < 0) {
		return kept.From
	}
	return r.Today
}

// without returns the rest of an interval that gives the common time to another
// one: the time before it, else the time after it.
func without(i, of kb.Interval) (left kb.Interval, gone bool) {
	switch {
	case of.From != "" && (i.From == "" || kb.CompareDates(i.From, of.From) < 0):
		return kb.Interval{From: i.From, Until: of.From}, false
	case of.Until != "" && (i.Until == "" || kb.CompareDates(of.Until, i.Until) < 0):
		return kb.Interval{From: of.Until, Until: i.Until}, false
	}
	return i, true
}
