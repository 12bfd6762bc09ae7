package sidecar

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func half() *float64 { f := 0.5; return &f }

var works = Assertion{Statement: kb.Statement{Subject: "Ada", Predicate: "works_at", Object: "[[Brex]]", ValidFrom: "2017", AssertedBy: "agent"}}

const worksLine = `{"subject": "Ada", "predicate": "works_at", "object": "[[Brex]]", "valid_from": "2017", "asserted_by": "agent"}`

// What is asserted is added as one line, and ended in its place; everything else stays
// byte for byte.
func TestAssertionEdits(t *testing.T) {
	t.Parallel()
	add, end := AddAssertion{works}, EndAssertion{Claim: works.Claim(), Until: "2026-03"}
	ended := strings.TrimSuffix(worksLine, "}")
	for _, test := range []struct {
		name, text, want string
		edit             Edit
	}{
		{"none yet", "", "{\n  \"assertions\": [\n    " + worksLine + "\n  ]\n}\n", add},
		{"beside sources", "{\"sources\": {\"a\":1}}", "{\"sources\": {\"a\":1},\"assertions\": [\n    " + worksLine + "\n  ]}", add},
		{"empty list", "{ \"assertions\": [ ] , \"z\": 1 }", "{ \"assertions\": [\n    " + worksLine + "\n  ] , \"z\": 1 }", add},
		{"behind others", "{\"assertions\": [\n\t{\"subject\": 1}\n\t]}", "{\"assertions\": [\n\t{\"subject\": 1},\n\t" + worksLine + "\n\t]}", add},
		{"there already", "{\"assertions\": [" + worksLine + "]}", "{\"assertions\": [" + worksLine + "]}", add},
		{"there and ended", "{\"assertions\": [" + ended + ",\"valid_until\":\"2020\"}]}",
			"{\"assertions\": [" + ended + ",\"valid_until\":\"2020\"}," + worksLine + "]}", add},
		{"all fields", "", "{\n  \"assertions\": [\n    {\"subject\": \"a\", \"predicate\": \"b\", \"object\": \"c \\\"<é>\", \"valid_until\": \"2020\", \"supersedes_id\": 9007199254740991, " +
			"\"confidence\": 0.5, \"asserted_by\": \"manual\", \"source_ref\": \"s\", \"evidence_text\": \"e\", \"created_at\": \"t\"}\n  ]\n}\n",
			AddAssertion{Assertion{Statement: kb.Statement{Subject: "a", Predicate: "b", Object: `c "<é>`, ValidUntil: "2020", Supersedes: 1<<53 - 1, Confidence: half(),
				AssertedBy: "manual", Source: "s", Evidence: "e"}, Created: "t"}}},
		{"ended", "{\"assertions\": [\n " + worksLine + " ]}", "{\"assertions\": [\n " + ended + ", \"valid_until\": \"2026-03\"} ]}", end},
		{"ended, keys unknown", "{\"assertions\": [{ \"x\" : [1], " + worksLine[1:] + "]}", "{\"assertions\": [{ \"x\" : [1], " + ended[1:] + ", \"valid_until\": \"2026-03\"}]}", end},
		{"ended, null before", "{\"assertions\": [" + ended + ", \"valid_until\": null}]}", "{\"assertions\": [" + ended + ", \"valid_until\": \"2026-03\"}]}", end},
		{"the second", "{\"assertions\": [" + worksLine + "," + worksLine + "]}", "{\"assertions\": [" + worksLine + "," + ended + ", \"valid_until\": \"2026-03\"}]}",
			EndAssertion{Claim: works.Claim(), Nth: 1, Until: "2026-03"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var text []byte
			if test.text != "" {
				text = []byte(test.text)
			}
			got, err := Apply(text, test.edit)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}

func TestAssertionEditsRefuse(t *testing.T) {
	t.Parallel()
	there := []byte("{\"assertions\": [" + worksLine + "]}")
	with := func(change func(*Assertion)) Edit {
		a := works
		change(&a)
		return AddAssertion{a}
	}
	over, under := 1.01, -0.5
	for _, test := range []struct {
		name string
		edit Edit
		code kb.Code
	}{
		{"no subject", with(func(a *Assertion) { a.Subject = " " }), kb.Usage},
		{"no predicate", with(func(a *Assertion) { a.Predicate = "" }), kb.Usage},
		{"no object", with(func(a *Assertion) { a.Object = "" }), kb.Usage},
		{"impossible date", with(func(a *Assertion) { a.ValidFrom = "2026-02-30" }), kb.Usage},
		{"no date", with(func(a *Assertion) { a.ValidUntil = "soon" }), kb.Usage},
		{"reversed", with(func(a *Assertion) { a.ValidUntil = "2016" }), kb.Invalid},
		{"too sure", with(func(a *Assertion) { a.Confidence = &over }), kb.Usage},
		{"less than not sure", with(func(a *Assertion) { a.Confidence = &under }), kb.Usage},
		{"long", with(func(a *Assertion) { a.Evidence = strings.Repeat("x", maxPart+1) }), kb.Invalid},
		{"another", EndAssertion{Claim: kb.Claim{Subject: "Bob"}, Until: "2020"}, kb.Conflict},
		{"a second", EndAssertion{Claim: works.Claim(), Nth: 1, Until: "2020"}, kb.Conflict},
		{"ends before it begins", EndAssertion{Claim: works.Claim(), Until: "2016"}, kb.Invalid},
	} {
		if got, err := Apply(there, test.edit); kb.CodeOf(err) != test.code || got != nil {
			t.Errorf("%s: %v, want %s", test.name, err, test.code)
		}
	}
	ended, err := Apply(there, EndAssertion{Claim: works.Claim(), Until: "2020"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(ended, EndAssertion{Claim: works.Claim(), Until: "2021"}); kb.CodeOf(err) != kb.Conflict {
		t.Errorf("ended twice: %v", err)
	}
	if _, err := Apply([]byte("{\n\"assertions\": [}"), AddAssertion{works}); kb.CodeOf(err) != kb.Invalid || Line(err) != 2 {
		t.Errorf("broken JSON: %v", err)
	}
}
