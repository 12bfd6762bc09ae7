package sidecar

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Assertion is a statement about a subject, with the time for which it holds.
type Assertion struct {
	kb.Statement
	Created string `json:"created_at"`
}

// Assertion parses one of Assertions; it fails if a member is missing or invalid.
func (f *File) Assertion(at doc.Span) (a Assertion, err error) {
	if err := json.Unmarshal(f.bytes(at), &a); err != nil {
		return a, kb.Errorf(kb.Invalid, "an assertion has a part of another type")
	}
	return a, a.check()
}

// maxPart is the maximum length of a part of an assertion, in bytes.
const maxPart = 8 << 10

// check rejects invalid assertions.
func (a Assertion) check() error {
	for _, part := range []struct{ what, text string }{{"subject", a.Subject}, {"predicate", a.Predicate}, {"object", a.Object}} {
		if strings.TrimSpace(part.text) == "" {
			return kb.Errorf(kb.Usage, "the assertion has no %s", part.what)
		}
	}
	for _, text := range []string{a.Subject, a.Predicate, a.Object, a.Source, a.Evidence} {
		if len(text) > maxPart {
			return kb.Errorf(kb.Invalid, "a part of the assertion is longer than %d bytes", maxPart).WithHint("Nothing was written. Write it into the page, and assert the gist.")
		}
	}
	for _, date := range []string{a.ValidFrom, a.ValidUntil} {
		if date != "" && !doc.IsDate(date) {
			return kb.Errorf(kb.Usage, "%q is not a date", date).WithHint("Write 2026-03-01, 2026-03 or 2026.")
		}
	}
	if a.Confidence != nil && !(*a.Confidence >= 0 && *a.Confidence <= 1) {
		return kb.Errorf(kb.Usage, "a confidence is from 0 to 1")
	}
	if i := a.Interval(); !i.InOrder() {
		return kb.Errorf(kb.Invalid, "the assertion ends in %s, before it begins in %s", i.Until, i.From).WithHint("Nothing was written.")
	}
	return nil
}

// line writes the assertion as one line.
func (a Assertion) line() string {
	var b strings.Builder
	member := func(name, value string) {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(name) + ": " + value)
	}
	text := func(name, value string) {
		if value != "" {
			member(name, quote(value))
		}
	}
	text("subject", a.Subject)
	text("predicate", a.Predicate)
	text("object", a.Object)
	text("valid_from", a.ValidFrom)
	text(validUntil, a.ValidUntil)
	if a.Supersedes != 0 {
		member("supersedes_id", strconv.FormatInt(a.Supersedes, 10))
	}
	if a.Confidence != nil {
		member("confidence", strconv.FormatFloat(*a.Confidence, 'g', -1, 64))
	}
	text("asserted_by", a.AssertedBy)
	text("source_ref", a.Source)
	text("evidence_text", a.Evidence)
	text("created_at", a.Created)
	return "{" + b.String() + "}"
}

const validUntil = "valid_until"

// AddAssertion adds an assertion at the end of the list, unless an equal one with the same
// end exists.
type AddAssertion struct{ Assertion }

// Adds implements Edit.
func (e AddAssertion) Adds() bool { return true }

func (e AddAssertion) apply(text []byte) ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	f, err := Parse(text)
	if err != nil {
		return nil, err
	}
	for _, at := range f.Assertions {
		if a, err := f.Assertion(at); err == nil && a.Claim() == e.Claim() && a.ValidUntil == e.ValidUntil {
			return text, nil
		}
	}
	list, there := f.top.find("assertions")
	var splices []doc.Splice
	switch n := len(f.Assertions); {
	case n > 0:
		last := f.Assertions[n-1]
		splices = []doc.Splice{{Span: doc.Span{Start: last.End, End: last.End}, New: "," + f.blanks(list.Value.Start, last.Start) + e.line()}}
	case there:
		splices = f.top.keys.Set([]doc.Key{list}, "[\n    "+e.line()+"\n  ]")
	default:
		splices = f.add(f.top, "\"assertions\": [\n    "+e.line()+"\n  ]", "  ")
	}
	return doc.ApplySplices(text, splices)
}

// EndAssertion sets the end of the nth assertion of a claim, counted from 0.
// Was is its current end, "" for none.
type EndAssertion struct {
	kb.Claim
	Nth        int
	Was, Until string
}

// Adds implements Edit.
func (e EndAssertion) Adds() bool { return false }

func (e EndAssertion) apply(text []byte) ([]byte, error) {
	f, err := Parse(text)
	if err != nil {
		return nil, err
	}
	nth := 0
	for _, at := range f.Assertions {
		a, err := f.Assertion(at)
		if err != nil || a.Claim() != e.Claim {
			continue
		}
		if nth++; nth <= e.Nth {
			continue
		}
		if a.ValidUntil != e.Was {
			return nil, kb.Errorf(kb.Conflict, "the assertion ended in %s already", a.ValidUntil).WithHint("Nothing was written.")
		}
		a.ValidUntil = e.Until
		if err := a.check(); err != nil {
			return nil, err
		}
		o, err := f.object(at)
		if err != nil {
			return nil, err
		}
		splices := f.add(o, quote(validUntil)+": "+quote(e.Until), "")
		if m, ok := o.find(validUntil); ok { // empty, null, or with another day
			splices = o.keys.Set([]doc.Key{m}, quote(e.Until))
		}
		return doc.ApplySplices(text, splices)
	}
	return nil, kb.Errorf(kb.Conflict, "the assertion does not exist any more").WithHint("Nothing was written. List the assertions again.")
}
