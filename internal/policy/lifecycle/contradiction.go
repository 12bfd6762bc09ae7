package lifecycle

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Kind is the kind of a contradiction between two statements.
type Kind string

// Kinds.
const (
	CrossPage   Kind = "cross_page" // two objects of a single-valued predicate, or two subjects
	Temporal    Kind = "temporal"   // a text reports an end, the relation is current
	Overlapping Kind = "overlap"    // one relation twice at the same time
	Stale       Kind = "stale"      // the truth is much older than the timeline
	Against     Kind = "assertion"  // an assertion or property is current, a relation has ended
	Stated      Kind = "conflict"   // a page declares a contradiction with another one
	Unproved    Kind = "evidence"   // the quote of an assertion is not in the page any more
)

// Kinds lists all kinds, in display order.
func Kinds() []Kind {
	return []Kind{CrossPage, Temporal, Against, Stated, Overlapping, Stale, Unproved}
}

// Source is the origin of a statement.
type Source string

// Sources.
const (
	Relation Source = "relation"
	Property Source = "property" // of the frontmatter
	Text     Source = "text"     // a statement that reports an end
	Truth    Source = "truth"    // all of it
	Timeline Source = "timeline" // an entry
	Asserted Source = "assertion"
)

// Fact is a statement with its position.
type Fact struct {
	Page      int64  // page with the statement
	Subject   int64  // subject page; negative for a name without a page
	Called    string // the name of the subject; needed if it is not a page, or the predicate is exclusive
	Predicate string
	Object    Object
	kb.Interval
	Source Source
	Line   int
	Said   string // words that distinguish it from similar facts, "" without any
	On     string // ISO date of the statement, "" when it has none
	Cited  string // its source, "" when it has none
	Entry  bool   // for a text: it is in the timeline
	Role   bool   // for a text: it ends a role at the object, and not every relation to it
	Number int64  // of an assertion

	// Written is the statement in the document if it is the inverse of this one.
	Written Written
}

// Written is a predicate and an object in their form in a document.
type Written struct{ Predicate, Object string }

// Inverted returns the same statement from the side of its object, with another
// predicate. The object's row is object, and name is that of the subject.
func (f Fact) Inverted(predicate string, object int64, name string) Fact {
	f.Written = Written{f.Predicate, f.Object.Name}
	f.Called = f.Object.Name
	f.Subject, f.Object, f.Predicate = object, Object{Page: f.Subject, Name: name}, predicate
	return f
}

// holder returns the subject as the object of another statement.
func (f Fact) holder() Object { return Object{Page: max(0, f.Subject), Name: f.Called} }

// AsWritten returns the predicate and the object in the document.
func (f Fact) AsWritten() Written {
	if f.Written != (Written{}) {
		return f.Written
	}
	return Written{f.Predicate, f.Object.Name}
}

// end returns the day on which something ended according to a text.
func (f Fact) end() string { return cmp.Or(f.Until, f.On) }

// Object is the object of a fact: a page, or a name without a page.
type Object struct {
	Page    int64
	Name    string // as written
	Unclear bool   // the name is ambiguous
}

// key identifies an object: equal objects have the same key.
func (o Object) key() string {
	if o.Page != 0 {
		return strconv.FormatInt(o.Page, 10)
	}
	return "? " + kb.NameKey(last(o.Name))
}

// last returns the last segment of a name that is a path.
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
	return a != "" && b != "" && !strings.Contains(a, b) && !strings.Contains(b, a) && !sameName(last(o.Name), last(p.Name))
}

// Finding is a contradiction between two facts. An uncertain one may be
// harmless: founding two firms is not a contradiction.
type Finding struct {
	Kind    Kind
	Certain bool
	A, B    Fact
}

// Shared reports whether the finding is about two subjects with the same object.
func (f Finding) Shared() bool { return f.Kind == CrossPage && f.A.Subject != f.B.Subject }

// ID returns an id that is stable as long as both sides are unchanged, regardless
// of other changes. It is derived from the words of the sides and the ids of their
// pages.
func (f Finding) ID(id func(page int64) kb.ID) string {
	a, b := f.A.words(id), f.B.words(id)
	if a > b {
		a, b = b, a
	}
	sum := sha256.Sum256([]byte(strconv.Quote(string(f.Kind)) + a + b))
	return hex.EncodeToString(sum[:6])
}

// words returns the words of a side.
func (f Fact) words(id func(page int64) kb.ID) string {
	object := "? " + f.Object.Name
	if f.Object.Page != 0 {
		object = string(id(f.Object.Page))
	}
	var b []byte
	subject := string(id(f.Subject))
	if f.Subject < 0 && f.Written != (Written{}) {
		subject = "? " + f.Called
	}
	for _, part := range []string{
		string(id(f.Page)), subject, kb.NameKey(f.Predicate), object, f.Interval.String(), string(f.Source), f.Said,
	} {
		b = strconv.AppendQuote(b, part)
	}
	return string(b)
}

// Rules define which statements contradict each other. Predicates are
// kb.NameKeys.
type Rules struct {
	Single    map[string]bool // have one object at a time
	Exclusive map[string]bool // have one subject at a time; see IsExclusive
	Many      map[string]bool // have any number of them
	Lasting   map[string]bool // hold until one leaves
	Inverse   map[string]string
	Today     string // ISO date
}

// InverseOf returns the predicate for the same statement about the object: "ceo_of"
// for "ceo" and "has_ceo"; "" for none.
func (r Rules) InverseOf(predicate string) string {
	key := kb.NameKey(predicate)
	return cmp.Or(r.Inverse[key], r.Inverse[strings.TrimPrefix(key, "has-")])
}

// IsExclusive reports whether a predicate has one subject at a time: "is CEO of" if
// "ceo_of" has, and the reverse.
func (r Rules) IsExclusive(predicate string) bool {
	key := roleKey(predicate)
	return r.Exclusive[key] || r.Exclusive["is-"+key]
}

// roleKey returns the same key for "ceo_of" and "is CEO of".
func roleKey(predicate string) string { return strings.TrimPrefix(kb.NameKey(predicate), "is-") }

// maxObjects limits the pairs of one subject and predicate. With more objects of a
// single-valued predicate, only the pairs of the first ones are reported. For a
// predicate with many objects, one pair is enough.
const maxObjects = 8

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
	out = append(out, r.shared(facts)...)
	Sort(out)
	return out
}

// Sort sorts findings in display order.
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
		if !r.Single[key] {
			if len(all) > 1 { // the newest one and the one before it
				slices.SortStableFunc(all, func(a, b Fact) int { return cmp.Compare(cmp.Or(a.From, a.On), cmp.Or(b.From, b.On)) })
				out = append(out, Finding{CrossPage, false, all[len(all)-2], all[len(all)-1]})
			}
			continue
		}
		for i, b := range all {
			for j, a := range all[:i] {
				if i >= maxObjects && j > 0 {
					break
				}
				out = append(out, Finding{CrossPage, a.Object.differs(b.Object), a, b})
			}
		}
	}
	return out
}

// shared finds pages with several current subjects of an exclusive predicate. A
// name that may refer to another subject is not a second one, and a name that
// shares a word with it only possibly.
func (r Rules) shared(facts []Fact) (out []Finding) {
	type place struct {
		predicate string
		object    int64
	}
	now := map[place][]Fact{} // one for each subject
	for _, f := range facts {
		if f.Source == Text || f.Object.Page == 0 || f.Object.Unclear || f.Subject < 0 && !isName(f.Called) || f.Subject == 0 || !r.IsExclusive(f.Predicate) || !f.Holds(r.Today) {
			continue
		}
		at := place{roleKey(f.Predicate), f.Object.Page}
		if !slices.ContainsFunc(now[at], func(o Fact) bool { return o.Subject == f.Subject }) {
			now[at] = append(now[at], f)
		}
	}
	for _, all := range now {
		slices.SortStableFunc(all, func(a, b Fact) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Page, b.Page), cmp.Compare(a.Line, b.Line))
		})
		for i, b := range all[:min(len(all), maxObjects)] {
			for _, a := range all[:i] {
				if a.holder().differs(b.holder()) {
					out = append(out, Finding{CrossPage, a.isApart(b), a, b})
				}
			}
		}
	}
	return out
}

// isApart reports whether two different subjects are certainly distinct: both are
// pages, or the one without a page has a full name that shares no word with the
// other.
func (f Fact) isApart(g Fact) bool {
	if f.Subject > 0 && g.Subject > 0 {
		return true
	}
	full := func(f Fact) bool { return f.Subject > 0 || isFullName(f.Called) }
	return full(f) && full(g) && !mayBeOne(f.Called, g.Called)
}

// ended finds current relations that a text reports as ended: of several texts it
// prefers a certain one, in the truth, with a date.
func (r Rules) ended(facts []Fact) (out []Finding) {
	reports := map[string][]Fact{} // texts that report an end, by the key of their object
	over := map[string]bool{}      // objects of relations that have ended
	for _, f := range facts {
		switch key := f.Object.key(); {
		case f.Source != Text && f.Until != "":
			over[key] = true
		case f.Source == Text && (f.end() == "" || kb.CompareDates(f.end(), r.Today) <= 0):
			reports[key] = append(reports[key], f)
		}
	}
	for _, f := range facts {
		if f.Source == Text || f.Until != "" || !f.Holds(r.Today) || r.Many[kb.NameKey(f.Predicate)] {
			continue
		}
		key := f.Object.key()
		again := over[key] && f.From == ""
		var best *Finding
		for _, said := range reports[key] {
			if f.From != "" && said.end() != "" && kb.CompareDates(f.From, said.end()) > 0 {
				continue // it began again
			}
			if f.Page == said.Page && f.Line == said.Line && !r.Lasting[kb.NameKey(f.Predicate)] {
				continue // the relation is the statement: "left [[Brex]]"
			}
			sure := f.From == "" || said.end() == "" || kb.CompareDates(f.From, said.end()) < 0
			x := Finding{Temporal, r.Lasting[kb.NameKey(f.Predicate)] && r.ofRole(f.Predicate, said) && sure && !f.Object.Unclear && !again, f, said}
			if best == nil || better(x, *best) {
				best = &x
			}
		}
		if best != nil {
			out = append(out, *best)
		}
	}
	return out
}

// ofRole reports whether a text that ends a relation may refer to the role of a
// predicate: "former CFO of Brex" does not end ceo_of, and "left Brex" does. A text
// about a role only ends the predicate of that role.
func (r Rules) ofRole(predicate string, said Fact) bool {
	if !said.Role && !r.IsExclusive(predicate) {
		return true
	}
	another := said.Role
	for _, word := range strings.FieldsFunc(said.Said, func(c rune) bool { return !unicode.IsLetter(c) }) {
		switch key := kb.NameKey(word) + "-of"; {
		case key == roleKey(predicate):
			return true
		case r.Exclusive[key]:
			another = true
		}
	}
	return !another
}

// better reports whether a finding is better evidence of an end than another one.
func better(x, than Finding) bool {
	for _, of := range []func(Finding) bool{
		func(f Finding) bool { return f.Certain },
		func(f Finding) bool { return f.B.Page == f.A.Page },
		func(f Finding) bool { return !f.B.Entry },
		func(f Finding) bool { return f.B.Until != "" },
	} {
		if of(x) != of(than) {
			return of(x)
		}
	}
	return false
}
