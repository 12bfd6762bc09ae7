package policy_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/presets"
)

const guarded = `
format = "markdown"

[permissions]
default = "allow"

[[permissions.rule]]
effect = "allow"
actors = ["agent:trusted"]
paths = ["identity/**"]

[[permissions.rule]]
effect = "deny"
actors = ["agent"]
operations = ["create", "write", "edit", "move", "delete"]
paths = ["identity/**"]
reason = "identity is written by its owner"

[[schema]]
types = ["decision"]
required = ["date"]
sections = ["Context"]
[schema.values]
state = ["open", "done"]
`

func TestSecretRulesAreData(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse([]byte("format = \"markdown\"\n[secrets]\nallow = [\"acme\"]\n[[secrets.rule]]\nid = \"acme\"\nkind = \"Acme token\"\ntoken = ['acme_[0-9]{9,}']\n"))
	if err != nil || len(p.Secrets.Rules) != 1 || p.Secrets.Rules[0].Token[0] != "acme_[0-9]{9,}" {
		t.Fatalf("%+v, %v", p, err)
	}
	text, err := p.Render()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := policy.Parse(text); err != nil || len(again.Secrets.Rules) != 1 {
		t.Errorf("%s is read as %+v, %v", text, again, err)
	}
	for _, bad := range []string{
		"[[secrets.rule]]\nid = \"acme\"\n",
		"[[secrets.rule]]\nid = \"acme\"\nkind = \"x\"\ntoken = ['[0-9]+']\n",
		"[[secrets.rule]]\nid = \"jwt\"\nkind = \"x\"\ntoken = ['acme_']\n",
		"[[secrets.rule]]\nid = \"acme\"\nkind = \"x\"\nregex = ['acme_']\n",
	} {
		if _, err := policy.Parse([]byte(bad)); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// Where pages are filed is refused with the name of what is wrong, and else kept.
func TestFiling(t *testing.T) {
	t.Parallel()
	directory := func(path, kind string) string {
		return "[[directory]]\npath = '" + path + "'\ntype = '" + kind + "'\n"
	}
	for name, tc := range map[string]struct{ text, refused string }{
		"wing and room":    {"wing = \"name\"\nroom = \"heading\"\n", ""},
		"none":             {"wing = \"\"\n", ""},
		"another wing":     {"wing = \"title\"\n", `wing "title"`},
		"another room":     {"room = \"name\"\n", `room "name"`},
		"directories":      {directory("people", "person") + directory("work/people", "person") + directory("ülk", "x"), ""},
		"a hidden one":     {directory(".x", "x"), ""},
		"no path":          {directory("", "person"), `directory ""`},
		"a slash at first": {directory("/people", "person"), `directory "/people"`},
		"a slash at last":  {directory("people/", "person"), `directory "people/"`},
		"outside":          {directory("../people", "person"), `directory "../people"`},
		"the whole":        {directory(".", "person"), `directory "."`},
		"not clean":        {directory("a//b", "person"), `directory "a//b"`},
		"of Windows":       {directory(`a\b`, "person"), `a\\b`},
		"a tab":            {directory("a\tb", "person"), "is not a path"},
		"no type":          {directory("people", " "), "directory people in the space's policy needs a type"},
		"a type of lines":  {"[[directory]]\npath = \"people\"\ntype = \"a\\nb\"\n", "needs a type"},
		"twice":            {directory("people", "person") + directory("people", "friend"), "directory people is twice"},
	} {
		_, err := policy.Parse([]byte(tc.text))
		switch {
		case tc.refused == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.refused != "" && (kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), tc.refused)):
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse([]byte(guarded))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		actor kb.Actor
		op    policy.Operation
		path  string
		want  kb.Code
	}{
		{kb.Actor{Kind: kb.Agent, Name: "x"}, policy.OpWrite, "identity/me.md", kb.Refused},
		{kb.Actor{Kind: kb.Agent}, policy.OpDelete, "identity/deep/me.md", kb.Refused},
		{kb.Actor{Kind: kb.Agent, Name: "x"}, policy.OpAppend, "identity/me.md", ""},
		{kb.Actor{Kind: kb.Agent, Name: "trusted"}, policy.OpWrite, "identity/me.md", ""},
		{kb.Actor{Kind: kb.Human}, policy.OpWrite, "identity/me.md", ""},
		{kb.Actor{Kind: kb.Agent, Name: "x"}, policy.OpWrite, "other/me.md", ""},
		{kb.Actor{Kind: kb.Agent, Name: "x"}, policy.OpCreate, "Identity/me.md", kb.Refused},
		{kb.Actor{Kind: kb.Agent, Name: "trusted"}, policy.OpCreate, "IDENTITY/me.md", kb.Refused},
		{kb.Actor{Kind: kb.Human}, policy.OpCreate, "Identity/me.md", ""},
	} {
		err := p.Check(policy.Request{Actor: tc.actor, Operation: tc.op, Path: tc.path})
		if got := kb.CodeOf(err); got != tc.want {
			t.Errorf("%s %s %s: %q, want %q", tc.actor, tc.op, tc.path, got, tc.want)
		}
		if err != nil && !strings.Contains(err.Error(), "written by its owner") {
			t.Errorf("the reason is missing: %v", err)
		}
	}
}

// A rule about agent:* holds for every agent, whatever its client calls itself.
func TestEveryAgentIsMeant(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse([]byte("format = \"markdown\"\n[[permissions.rule]]\neffect = \"deny\"\nactors = [\"agent:*\"]\noperations = [\"delete\"]\n" +
		"[[stamp]]\nkey = \"by\"\nvalue = \"{actor}\"\nactors = [\"agent:*\"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "claude-code", "a/b", "/", "human:eve", "schedule", "two\nlines", "a b"} {
		actor := kb.AgentNamed(name)
		if err := p.Check(policy.Request{Actor: actor, Operation: policy.OpDelete, Path: "a.md"}); kb.CodeOf(err) != kb.Refused {
			t.Errorf("%q may delete: %v", name, err)
		}
		if len(p.StampsFor(policy.Stamping{Actor: actor})) != 1 {
			t.Errorf("what %q writes is not stamped", name)
		}
	}
	for _, actor := range []kb.Actor{{Kind: kb.Human}, {Kind: kb.Human, Name: "agent:x"}, {Kind: kb.Sync}} {
		if err := p.Check(policy.Request{Actor: actor, Operation: policy.OpDelete, Path: "a.md"}); err != nil {
			t.Errorf("%s: %v", actor, err)
		}
	}
}

func TestDefaultDeny(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse([]byte("[permissions]\ndefault = \"deny\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(policy.Request{Path: "a.md", Operation: policy.OpEdit}); kb.CodeOf(err) != kb.Refused {
		t.Errorf("got %v", err)
	}
}

func TestViolations(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse([]byte(guarded))
	if err != nil {
		t.Fatal(err)
	}
	got := p.Violations(policy.Content{Type: "decision", Metadata: map[string][]string{"state": {"odd"}}})
	want := []policy.Violation{
		{Key: "date", Problem: "is required"},
		{Key: "state", Problem: `is "odd", not one of open, done`, Value: true},
		{Key: "Context", Problem: "is a section that must be there"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := p.Violations(policy.Content{Type: "note"}); got != nil {
		t.Errorf("schema for decisions applied to a note: %v", got)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"unknown key":       "formt = \"markdown\"",
		"unknown format":    "format = \"docx\"",
		"unknown effect":    "[[permissions.rule]]\neffect = \"maybe\"",
		"missing effect":    "[[permissions.rule]]\npaths = [\"a\"]",
		"unknown operation": "[[permissions.rule]]\neffect = \"deny\"\noperations = [\"burn\"]",
		"unknown rule":      "[secrets]\nallow = [\"no-such-rule\"]",
		"bad glob":          "[[schema]]\npaths = [\"[\"]",
		"not TOML":          "format = ",
		"wrong type":        "format = 3",
		"both directions":   "[predicates]\ninverse = { ceo = \"ceo_of\", CEO-of = \"ceo\" }",
		"has the other":     "[predicates]\ninverse = { ceo = \"ceo_of\", ceo_of = \"has_ceo\" }",
		"chain":             "[predicates]\ninverse = { boss = \"ceo\", ceo = \"ceo_of\" }",
	} {
		if _, err := policy.Parse([]byte(text)); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInverseTakesOneDirection(t *testing.T) {
	t.Parallel()
	for _, inverse := range []string{`{ ceo = "ceo_of" }`, `{ ceo = "ceo_of", boss = "ceo_of" }`, `{ married_to = "married to" }`, `{ spouse = "married_to", married_to = "married_to" }`} {
		if _, err := policy.Parse([]byte("[predicates]\ninverse = " + inverse)); err != nil {
			t.Errorf("%s: %v", inverse, err)
		}
	}
}

func TestPresetsParseAndRoundTrip(t *testing.T) {
	t.Parallel()
	names := presets.Names()
	if len(names) < 2 {
		t.Fatalf("only %v", names)
	}
	for _, name := range names {
		text, ok := presets.Text(name)
		if !ok {
			t.Fatal(name)
		}
		p, err := policy.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.Preset != name {
			t.Errorf("preset %q says it is %q", name, p.Preset)
		}
		again, err := p.Render()
		if err != nil {
			t.Fatal(err)
		}
		q, err := policy.Parse(again)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, again)
		}
		if diff := cmp.Diff(p, q); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, ok := presets.Text("nope"); ok {
		t.Error("a preset that does not exist")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(guarded))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := policy.Parse(text)
		if err != nil {
			return
		}
		out, err := p.Render()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := policy.Parse(out); err != nil {
			t.Fatalf("%v\n%s\nfrom\n%s", err, out, bytes.TrimSpace(text))
		}
	})
}

func TestGuardIsChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"commit = true\nfetch = 300\npush = true\nsettle = 60\nhooks = \"skip\"": "",
		"push = true":                     "",
		"commit = true\nfetch = -1":       "guard.fetch",
		"commit = true\nsettle = 86401":   "guard.settle",
		"commit = true\nhooks = \"some\"": "guard.hooks",
		"settle = 60":                     "without guard.commit",
		"fetch = 60":                      "without guard.commit",
	} {
		_, err := policy.Parse([]byte("[guard]\n" + text))
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case want != "" && (kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want one that says %q", text, err, want)
		}
	}
}

// To contest a page is to edit it, unless a rule names it; who may not edit hears of it only
// where it is allowed.
func TestCheckContest(t *testing.T) {
	t.Parallel()
	const deny = `{ effect = "deny", actors = ["agent"], operations = ["edit"] }`
	agent := kb.Actor{Kind: kb.Agent, Name: "x"}
	for rules, want := range map[string][2]kb.Reason{
		deny: {kb.NotPermitted, kb.NotPermitted},
		`{ effect = "allow", actors = ["agent"], operations = ["contest"] }, ` + deny: {kb.MayContest, ""},
		`{ effect = "deny", operations = ["contest"] }`:                               {"", kb.NotPermitted},
	} {
		p, err := policy.Parse([]byte("[permissions]\nrule = [" + rules + "]\n"))
		if err != nil {
			t.Fatal(err)
		}
		for i, op := range []policy.Operation{policy.OpEdit, policy.OpContest} {
			var got kb.Reason
			if err := p.Check(policy.Request{Actor: agent, Operation: op, Path: "a.md"}); err != nil {
				got = kb.AsError(err).Reason
			}
			if got != want[i] {
				t.Errorf("%s: %s is refused for %q, want %q", rules, op, got, want[i])
			}
		}
	}
}

// A rule about what a change sets fits only changes that give the page one of its values.
func TestCheckSets(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse([]byte(`[permissions]
rule = [{ effect = "deny", operations = ["edit"], sets = { status = ["superseded"] } }, { effect = "allow", actors = ["agent"], operations = ["contest"] }]
`))
	if err != nil {
		t.Fatal(err)
	}
	values := func(status string) func() map[string][]string {
		return func() map[string][]string { return map[string][]string{"status": {status}} }
	}
	for _, tc := range []struct {
		op          policy.Operation
		is, becomes func() map[string][]string
		want        kb.Reason
	}{
		{policy.OpEdit, values("current"), values("superseded"), kb.NotPermitted},
		{policy.OpEdit, nil, values("superseded"), kb.NotPermitted},
		{policy.OpEdit, values("superseded"), values("superseded"), ""},
		{policy.OpEdit, values("superseded"), values("current"), ""},
		{policy.OpEdit, values("current"), nil, ""},
		{policy.OpAppend, values("current"), values("superseded"), ""},
	} {
		var got kb.Reason
		if err := p.Check(policy.Request{Actor: kb.Actor{Kind: kb.Agent}, Operation: tc.op, Path: "a.md", Metadata: tc.is, Becomes: tc.becomes}); err != nil {
			got = kb.AsError(err).Reason
		}
		if got != tc.want {
			t.Errorf("%+v is refused for %q", tc, got)
		}
	}
	if !p.Contests() {
		t.Error("a rule that lets agents contest is not seen")
	}
	for _, bad := range []string{`sets = { Status = ["x"] }`, `sets = { status = [] }`} {
		if _, err := policy.Parse([]byte("[permissions]\nrule = [{ effect = \"deny\", " + bad + " }]\n")); kb.CodeOf(err) != kb.Invalid {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestRequires(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse([]byte(`type = "note"
schema = [
  { required = ["summary"], types = ["note"], except = ["raw/**"] },
  { required = ["owner"], mode = "advisory" },
]
stamp = [{ key = "status", value = "current" }]
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		key, path, kind string
		want            bool
	}{
		{"summary", "a.md", "note", true},
		{"summary", "a.md", "task", false},
		{"summary", "raw/a.md", "note", false},
		{"owner", "a.md", "note", false},
	} {
		if got := p.Requires(tc.key, tc.path, tc.kind); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	if got := p.StatusWord(kb.Active) + " " + p.StatusWord(kb.Contested); got != "current contested" {
		t.Errorf("statuses are written as %q", got)
	}
}

// What an agent made itself it may take back where agents delete nothing, but not where
// nobody deletes.
func TestCheckTakesBack(t *testing.T) {
	t.Parallel()
	for rule, refused := range map[string]bool{
		`{ effect = "deny", actors = ["agent"], operations = ["delete"] }`:                            false,
		`{ effect = "deny", actors = ["agent:*"], operations = ["delete"] }`:                          false,
		`{ effect = "deny", operations = ["delete"] }`:                                                true,
		`{ effect = "deny", actors = ["human", "agent"], operations = ["delete"] }`:                   true,
		`{ effect = "deny", actors = ["agent"], operations = ["delete"], paths = ["kept/**"] }`:       true,
		`{ effect = "deny", actors = ["agent"], operations = ["delete"], when = { status = ["x"] } }`: true,
	} {
		p, err := policy.Parse([]byte("[permissions]\nrule = [" + rule + "]\n"))
		if err != nil {
			t.Fatal(err)
		}
		r := policy.Request{
			Actor: kb.Actor{Kind: kb.Agent, Name: "x"}, Operation: policy.OpDelete, Path: "kept/a.md", TakesBack: true,
			Metadata: func() map[string][]string { return map[string][]string{"status": {"x"}} },
		}
		if err := p.Check(r); (err != nil) != refused {
			t.Errorf("%s: %v", rule, err)
		}
		if r.TakesBack = false; p.Check(r) == nil {
			t.Errorf("%s lets an agent delete", rule)
		}
	}
}
