package secrets

import (
	"strings"
	"testing"
)

func TestOwnRules(t *testing.T) {
	t.Parallel()
	own := []Rule{
		{ID: "acme-token", Kind: "Acme token", Token: []string{`acme_(?:live|test)_([0-9a-z]{24})`}},
		{ID: "door-code", Kind: "code of a door", After: []string{`(?i)door code: `}, Value: "password"},
	}
	if err := Check(own); err != nil {
		t.Fatal(err)
	}
	g := newGenerator(31)
	token := g.of(lower+digits, 24)
	text := "see acme_live_" + token + ".\nDOOR CODE: kr8-tzz, acme_prod_" + token
	found := Scan([]byte(text), Options{Rules: own})
	if len(found) != 2 || found[0].Rule != "acme-token" || text[found[0].Start:found[0].End] != token ||
		found[1].Rule != "door-code" || text[found[1].Start:found[1].End] != "kr8-tzz" {
		t.Errorf("found %v", found)
	}
	if found := Scan([]byte(text), Options{}); len(found) > 0 {
		t.Errorf("without the rules: %v", found)
	}
	if found := Scan([]byte(text), Options{Rules: own, Allow: []string{"acme-token", "door-code"}}); len(found) > 0 {
		t.Errorf("allowed: %v", found)
	}
	if Unknown([]string{"door-code"}, own) != "" || Unknown([]string{"door-code"}, nil) == "" {
		t.Error("a rule of the space is known in it only")
	}
}

// A rule that is not understood must not be one that is not applied.
func TestOwnRulesAreChecked(t *testing.T) {
	t.Parallel()
	long := make([]Rule, maxOwn+1)
	for _, c := range []struct {
		own  []Rule
		want string
	}{
		{[]Rule{{ID: "Acme", Kind: "x", Token: []string{"ab[0-9]{9}"}}}, "hyphens"},
		{[]Rule{{ID: "jwt", Kind: "x", Token: []string{"ab[0-9]{9}"}}}, "taken"},
		{[]Rule{{ID: "a", Kind: "x", Token: []string{"ab[0-9]{9}"}}, {ID: "a", Kind: "x", Token: []string{"ab"}}}, "taken"},
		{[]Rule{{ID: "a", Token: []string{"ab[0-9]{9}"}}}, "kind"},
		{[]Rule{{ID: "a", Kind: "x"}}, "expressions"},
		{[]Rule{{ID: "a", Kind: "x", Token: []string{"(ab"}}}, "missing closing"},
		{[]Rule{{ID: "a", Kind: "x", Token: []string{"[0-9]{9}"}}}, "fixed"},
		{[]Rule{{ID: "a", Kind: "x", Token: []string{"a[0-9]{9}"}}}, "fixed"},
		{[]Rule{{ID: "a", Kind: "x", Token: []string{"ab(?:cd)*"}}}, "repeats"},
		{[]Rule{{ID: "a", Kind: "x", Token: []string{"ab[0-9]{999}[0-9]{9999}"}}}, "repeat"},
		{[]Rule{{ID: "a", Kind: "x", Token: []string{strings.Repeat("(?:ab|cd)", 9)}}}, "alternatives"},
		{[]Rule{{ID: "a", Kind: "x", After: []string{"ab: "}}}, "value"},
		{[]Rule{{ID: "a", Kind: "x", After: []string{"ab: "}, Value: "words"}}, "value"},
		{long, "more than"},
	} {
		if err := Check(c.own); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60v: %v, want something about %q", c.own, err, c.want)
		}
	}
}

// Whatever an expression says, it is refused or does bounded work.
func FuzzExpression(f *testing.F) {
	for _, r := range builtin().Rules {
		for _, e := range append(append(r.Token, r.Mixed...), r.After...) {
			f.Add(e, "text with "+e)
		}
	}
	f.Add(`(?i)ab(c|d)?[^x]+$`, "abcd")
	f.Add("()00", "00")
	f.Add(`^ab\b(.*)`, "ab\nab c")
	f.Fuzz(func(t *testing.T, expression, text string) {
		own := []Rule{{ID: "own", Kind: "own", Token: []string{expression}}, {ID: "own2", Kind: "own", After: []string{expression}, Value: "strong"}}
		if Check(own) != nil {
			return
		}
		for _, found := range Scan([]byte(text), Options{Rules: own}) {
			if found.Start < 0 || found.End <= found.Start || found.End > len(text) {
				t.Fatalf("%+v in %d bytes", found, len(text))
			}
		}
	})
}
