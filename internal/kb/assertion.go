package kb

// Assertion is a statement about a subject, stored in a sidecar.
type Assertion struct {
	Page       int64 // Page.Row of the document's own page
	Subject    string
	SubjectKey string // lookup key for the pages that it may refer to, as Link.Key
	Predicate  string
	Object     string
	ObjectKey  string
	ValidFrom  string // ISO date of any precision, "" if unknown
	ValidUntil string
	Nth        int     // number of earlier assertions with the same Claim
	Supersedes int64   // number of the assertion that it replaces, 0 for none
	Confidence float64 // from 0 to 1
	AssertedBy string
	Source     string
	Evidence   string // quote from the document
	Lines      [2]int // first and last line of Evidence in the document; zero if not found
	Created    string
	Line       int // 1-based line in the sidecar
}

// Statement is the content of an assertion, in the form of sidecars and plans.
type Statement struct {
	Subject    string   `json:"subject"`
	Predicate  string   `json:"predicate"`
	Object     string   `json:"object"`
	ValidFrom  string   `json:"valid_from,omitempty"` // ISO date of any precision, "" if unknown
	ValidUntil string   `json:"valid_until,omitempty"`
	Confidence *float64 `json:"confidence,omitempty"` // from 0 to 1; nil is 1
	AssertedBy string   `json:"asserted_by,omitempty"`
	Source     string   `json:"source_ref,omitempty"`
	Evidence   string   `json:"evidence_text,omitempty"`
	Supersedes int64    `json:"supersedes_id,omitempty"` // number of the assertion that it replaces, 0 for none
}

// Claim returns the statement and its start.
func (s Statement) Claim() Claim { return Claim{s.Subject, s.Predicate, s.Object, s.ValidFrom} }

// Interval returns the time for which the assertion holds.
func (s Statement) Interval() Interval { return Interval{s.ValidFrom, s.ValidUntil} }

// Claim identifies an assertion. It stays the same when the assertion ends.
type Claim struct{ Subject, Predicate, Object, Since string }

// Claim returns the statement and its start.
func (a Assertion) Claim() Claim { return Claim{a.Subject, a.Predicate, a.Object, a.ValidFrom} }

// Interval returns the time for which the statement holds.
func (a Assertion) Interval() Interval { return Interval{a.ValidFrom, a.ValidUntil} }

// Lost reports whether the quoted evidence is not in the document any more.
func (a Assertion) Lost() bool { return a.Evidence != "" && a.Lines[0] == 0 }
