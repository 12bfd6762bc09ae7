package lifecycle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Kind is the kind of a contradiction between two statements.
type Kind string

// The kinds.
const (
	CrossPage   Kind = "cross_page" // two objects of a predicate that has one at a time
	Temporal    Kind = "temporal"   // the text reports an end, the relation is current
	Overlapping Kind = "overlap"    // one relation twice at a time
	Stale       Kind = "stale"      // the truth is much older than the timeline
	Against     Kind = "assertion"  // an assertion is current, a relation has ended
	Stated      Kind = "conflict"   // a page declares a contradiction with another one
	Unproved    Kind = "evidence"   // the quote of an assertion is not in the page any more
)

// Kinds are all of them, in the order in which they are listed.
func Kinds() []Kind {
	return []Kind{CrossPage, Temporal, Against, Stated, Overlapping, Stale, Unproved}
}

// Source is the origin of a statement.
type Source string

// The sources.
const (
	Relation Source = "relation"
	Property Source = "property" // of the frontmatter
	Text     Source = "text"     // a sentence of the truth that reports an end
	Truth    Source = "truth"    // all of it
	Timeline Source = "timeline" // an entry
	Asserted Source = "assertion"
)

// Fact is a statement with its position.
type Fact struct {
	Page      int64 // that states it
	Subject   int64 // page that it is about
	Predicate string
	Object    Object
	kb.Interval
	Source Source
	Line   int
	Said   string // words that distinguish it from similar facts, "" without any

	// Of an assertion: its citation and its number.
	Cited  string
	Number int64
}

// Object is the object of a fact: a page, or a name without a page.
type Object struct {
	Page    int64
	Name    string // as written
	Unclear bool   // it may be one of several pages
}

// key identifies an object: equal objects have the same key.
func (o Object) key() string {
	if o.Page != 0 {
		return strconv.FormatInt(o.Page, 10)
	}
	return "? " + kb.NameKey(last(o.Name))
}

// last is the last segment of a name that is a path.
func last(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// differs reports whether two objects are certainly different: a name without a
// page may be another name of a page.
func (o Object) differs(p Object) bool {
	if o.Unclear || p.Unclear || o.key() == p.key() {
		return false
	}
	if o.Page != 0 && p.Page != 0 {
		return true
	}
	a, b := kb.NameKey(last(o.Name)), kb.NameKey(last(p.Name))
	return a != "" && b != "" && !strings.Contains(a, b) && !strings.Contains(b, a)
}

// Finding is a contradiction between two facts. An uncertain one may be
// harmless: founding two firms is not a contradiction.
type Finding struct {
	Kind    Kind
	Certain bool
	A, B    Fact
}

// ID stays the same while both sides do, regardless of other changes. It is
// derived from the words of the sides and the ids of the pages that they name.
func (f Finding) ID(id func(page int64) kb.ID) string {
	a, b := f.A.words(id), f.B.words(id)
	if a > b {
		a, b = b, a
	}
	sum := sha256.Sum256([]byte(strconv.Quote(string(f.Kind)) + a + b))
	return hex.EncodeToString(sum[:6])
}

// words are the words of a side.
func (f Fact) words(id func(page int64) kb.ID) string {
	object := "? " + f.Object.Name
	if f.Object.Page != 0 {
		object = string(id(f.Object.Page))
	}
	var b []byte
	for _, part := range []string{
		string(id(f.Page)), string(id(f.Subject)), kb.NameKey(f.Predicate), object, f.Interval.String(), string(f.Source), f.Said,
	} {
		b = strconv.AppendQuote(b, part)
	}
	return string(b)
}

// Rules define which statements contradict each other. Predicates are
// kb.NameKeys.
type Rules struct {
	Single  map[string]bool // have one object at a time
	Many    map[string]bool // have any number of them
	Lasting map[string]bool // hold until one leaves
	Today   string          // ISO date
}

// mostObjects bounds the pairs of one subject and predicate. With more objects
// of a single-valued predicate, only the pairs of the first ones are reported.
// For a predicate that may have many, one pair is enough.
const mostObjects = 8

// Contradictions compares facts, in any order, and returns the contradictions:
// by kind, then by page and line.
func (r Rules) Contradictions(facts []Fact) (out []Finding) {
	bySubject := map[int64][]Fact{}
	for _, f := range facts {
		bySubject[f.Subject] = append(bySubject[f.Subject], f)
	}
	for _, all := range bySubject {
		slices.SortStableFunc(all, func(a, b Fact) int { return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.Line, b.Line)) })
		out = append(append(append(out, r.cross(all)...), r.ended(all)...), r.against(all)...)
	}
	Sort(out)
	return out
}

// Sort puts findings into the order in which they are listed.
func Sort(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(Kinds(), a.Kind), slices.Index(Kinds(), b.Kind)), cmp.Compare(a.A.Page, b.A.Page),
			cmp.Compare(a.A.Line, b.A.Line), cmp.Compare(a.B.Page, b.B.Page), cmp.Compare(a.B.Line, b.B.Line))
	})
}

// cross finds predicates with several current objects among the facts of one
// subject.
func (r Rules) cross(facts []Fact) (out []Finding) {
	now := map[string][]Fact{} // by predicate, one for each object
	for _, f := range facts {
		key := kb.NameKey(f.Predicate)
		if f.Source == Text || r.Many[key] || !f.Holds(r.Today) {
			continue
		}
		if same := func(o Fact) bool { return o.Object.key() == f.Object.key() }; !slices.ContainsFunc(now[key], same) {
			now[key] = append(now[key], f)
		}
	}
	for key, all := range now {
		for i, b := range all {
			for j, a := range all[:i] {
				if i >= mostObjects && j > 0 || !r.Single[key] && i > 1 {
					break
				}
				certain := r.Single[key] && a.Object.differs(b.Object) && r.begun(a) && r.begun(b)
				out = append(out, Finding{CrossPage, certain, a, b})
			}
		}
	}
	return out
}

// begun reports whether a fact that may be current certainly has begun: "since
// 2026-11" is uncertain in that month.
func (r Rules) begun(f Fact) bool {
	return f.From == "" || f.From < r.Today[:min(len(f.From), len(r.Today))] || len(f.From) >= len(r.Today)
}

// ended finds current relations that a text of the subject reports as ended.
func (r Rules) ended(facts []Fact) (out []Finding) {
	for _, said := range facts {
		if said.Source != Text || said.Until != "" && kb.CompareDates(said.Until, r.Today) > 0 {
			continue
		}
		for _, f := range facts {
			if f.Source == Text || f.Until != "" || f.Object.key() != said.Object.key() || !f.Holds(r.Today) || r.Many[kb.NameKey(f.Predicate)] {
				continue
			}
			if f.From != "" && said.Until != "" && kb.CompareDates(f.From, said.Until) > 0 {
				continue // it began again
			}
			sure := f.From == "" || said.Until == "" || kb.CompareDates(f.From, said.Until) < 0
			again := slices.ContainsFunc(facts, func(o Fact) bool {
				return o.Source != Text && o.Until != "" && o.Object.key() == f.Object.key()
			})
			out = append(out, Finding{Temporal, r.Lasting[kb.NameKey(f.Predicate)] && sure && !f.Object.Unclear && !(again && f.From == ""), f, said})
		}
	}
	return out
}
