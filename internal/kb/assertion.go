package kb

// Assertion is something that somebody says of a subject, kept in a sidecar.
type Assertion struct {
	Page       int64 // Page.Row of the document's own page
	Subject    string
	SubjectKey string // key by which pages are found that it may name, as Link.Key
	Predicate  string
	Object     string
	ObjectKey  string
	ValidFrom  string // ISO date of any precision, "" when it is not known
	ValidUntil string
	Nth        int     // how many with the same Claim stand before it
	Supersedes int64   // number of the assertion in whose place it stands, 0 for none
	Confidence float64 // from 0 to 1
	AssertedBy string
	Source     string
	Evidence   string // words of the document
	Lines      [2]int // of the document in which Evidence stands, the first and the last; zero where it does not
	Created    string
	Line       int // 1-based line in the sidecar
}

// Claim is what an assertion keeps when it ends.
type Claim struct{ Subject, Predicate, Object, Since string }

// Claim returns what is asserted, and since when.
func (a Assertion) Claim() Claim { return Claim{a.Subject, a.Predicate, a.Object, a.ValidFrom} }

// Interval returns the time for which it holds.
func (a Assertion) Interval() Interval { return Interval{a.ValidFrom, a.ValidUntil} }

// Lost reports whether it has evidence that its document does not have any more.
func (a Assertion) Lost() bool { return a.Evidence != "" && a.Lines[0] == 0 }
