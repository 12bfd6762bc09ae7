package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

func TestStampsFor(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse([]byte(`stamp = [
  { key = "created", value = "{date}" },
  { key = "created_by", value = "{actor}" },
  { key = "confidence", value = "user-stated", actors = ["human"] },
  { key = "confidence", value = "inferred" },
  { key = "projects", value = "{project}", list = true },
]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		by   policy.Stamping
		want []string
	}{
		{policy.Stamping{Actor: kb.Actor{Kind: kb.Human, Name: "ada"}, Date: "2026-05-24"},
			[]string{"created=2026-05-24", "created_by=human", "confidence=user-stated", "projects=general"}},
		{policy.Stamping{Actor: kb.Actor{Kind: kb.Agent, Name: "codex"}, Date: "2026-05-24", Project: "emacs"},
			[]string{"created=2026-05-24", "created_by=codex", "confidence=inferred", "projects=emacs"}},
		{policy.Stamping{Actor: kb.Actor{Kind: kb.Schedule}, Date: "2026-05-24"},
			[]string{"created=2026-05-24", "created_by=schedule", "confidence=inferred", "projects=general"}},
	} {
		var got []string
		for _, s := range p.StampsFor(tt.by) {
			got = append(got, s.Key+"="+s.Value)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: %q, want %q", tt.by, got, tt.want)
		}
	}
	if !p.StampsProjects() {
		t.Error("the policy stamps projects")
	}
}

func TestStampsAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`stamp = [{ key = "id", value = "x" }]`:                                     `"id"`,
		`stamp = [{ key = "Created", value = "x" }]`:                                `"Created"`,
		`stamp = [{ key = "created", value = " " }]`:                                "one line",
		`stamp = [{ key = "created", value = "{day}" }]`:                            "{day}",
		`permissions = { rule = [{ effect = "deny", when = { Status = ["x"] } }] }`: `"Status"`,
		`permissions = { rule = [{ effect = "deny", when = { status = [] } }] }`:    `"status"`,
	} {
		if _, err := policy.Parse([]byte(text)); kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A rule with a condition asks the page only where the rest of it fits.
func TestRuleWhen(t *testing.T) {
	t.Parallel()
	p, err := policy.Parse([]byte(`permissions = { rule = [
  { effect = "deny", actors = ["agent"], operations = ["edit"], when = { confidence = ["user-stated"], status = ["current", "active"] } },
] }`))
	if err != nil {
		t.Fatal(err)
	}
	agent := kb.Actor{Kind: kb.Agent, Name: "codex"}
	page := func(confidence, status string) func() map[string][]string {
		return func() map[string][]string {
			return map[string][]string{"confidence": {confidence}, "status": {status}}
		}
	}
	for _, tt := range []struct {
		name   string
		r      policy.Request
		denied bool
	}{
		{"stated and current", policy.Request{Actor: agent, Operation: policy.OpEdit, Metadata: page("user-stated", "current")}, true},
		{"contested", policy.Request{Actor: agent, Operation: policy.OpEdit, Metadata: page("user-stated", "contested")}, false},
		{"inferred", policy.Request{Actor: agent, Operation: policy.OpEdit, Metadata: page("inferred", "current")}, false},
		{"no page", policy.Request{Actor: agent, Operation: policy.OpEdit}, false},
		{"a person", policy.Request{Actor: kb.Actor{Kind: kb.Human}, Operation: policy.OpEdit, Metadata: func() map[string][]string {
			t.Error("the page was asked in vain")
			return nil
		}}, false},
	} {
		if err := p.Check(tt.r); (kb.CodeOf(err) == kb.Refused) != tt.denied {
			t.Errorf("%s: %v, want denied: %v", tt.name, err, tt.denied)
		}
	}
}
