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

// Kind says what is wrong between two statements.
type Kind string

// The kinds.
const (
	CrossPage   Kind = "cross_page" // two objects of what has one at a time
	Temporal    Kind = "temporal"   // the text says that it ended, the relation that it holds
	Overlapping Kind = "overlap"    // one relation twice at a time
	Stale       Kind = "stale"      // the truth is much older than the timeline
	Against     Kind = "assertion"  // somebody asserts that it holds, a relation says that it ended
	Stated      Kind = "conflict"   // a page says that it contradicts another one
	Unproved    Kind = "evidence"   // the page does not have the quote of an assertion any more
)

// Kinds are all of them, in the order in which they are listed.
func Kinds() []Kind {
	return []Kind{CrossPage, Temporal, Against, Stated, Overlapping, Stale, Unproved}
}

// Source says what makes a statement.
type Source string

// The sources.
const (
	Relation Source = "relation"
	Property Source = "property" // of the frontmatter
	Text     Source = "text"     // a sentence of the truth, which says that something is over
	Truth    Source = "truth"    // all of it
	Timeline Source = "timeline" // an entry
	Asserted Source = "assertion"
)

// Fact is a statement with where it stands.
type Fact struct {
	Page      int64 // that states it
	Subject   int64 // page that it is about
	Predicate string
	Object    Object
	kb.Interval
	Source Source
	Line   int
	Said   string // words by which it is told from others like it, "" where there are none

	// Of an assertion: what it cites, and its number.
	Cited  string
	Number int64
}

// Object is what a fact says of its subject: a page, or what nobody has a page of.
type Object struct {
	Page    int64
	Name    string // as written
	Unclear bool   // it may be one of several pages
}

// key says what an object is, the same of two that are one.
func (o Object) key() string {
	if o.Page != 0 {
		return strconv.FormatInt(o.Page, 10)
	}
	return "? " + kb.NameKey(last(o.Name))
}

// last is the last segment of a name that is a path.
func last(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// differs reports whether two objects certainly are not the same: what has no page
// may be another name of what has.
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

// Finding is a contradiction between two facts. One that is not certain may be none:
// who founds two firms contradicts nobody.
type Finding struct {
	Kind    Kind
	Certain bool
	A, B    Fact
}

// ID is the same for as long as both sides are, whatever else changes around them. It
// is made of what the sides say and of the ids of the pages that they name.
func (f Finding) ID(id func(page int64) kb.ID) string {
	a, b := f.A.words(id), f.B.words(id)
	if a > b {
		a, b = b, a
	}
	sum := sha256.Sum256([]byte(strconv.Quote(string(f.Kind)) + a + b))
	return hex.EncodeToString(sum[:6])
}

// words are what a side says.
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

// Rules say what contradicts what. Predicates are kb.NameKeys.
type Rules struct {
	Single  map[string]bool // have one object at a time
	Many    map[string]bool // have any number of them
	Lasting map[string]bool // hold until one leaves
	Today   string          // ISO date
}

// mostObjects bounds the pairs of one subject and predicate. Whoever keeps more
// objects than it of what has one at a time is told of the pairs of the first. Of what
// may have many, one pair says it.
const mostObjects = 8

// Contradictions compares facts, in any order, and returns what does not go together:
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

// cross finds what has several objects now, among the facts of one subject.
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

// begun reports whether a fact that may hold certainly has begun: of "since 2026-11"
// nobody can say so in that month.
func (r Rules) begun(f Fact) bool {
	return f.From == "" || f.From < r.Today[:min(len(f.From), len(r.Today))] || len(f.From) >= len(r.Today)
}

// ended finds relations that hold and of which a text of the subject says that they
// are over.
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
