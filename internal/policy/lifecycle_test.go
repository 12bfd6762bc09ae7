package policy_test

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

func TestMayBecome(t *testing.T) {
	t.Parallel()
	strict, err := policy.Parse([]byte("[lifecycle]\ntransitions = { active = [\"stale\"], stale = [\"active\", \"compacted\"] }\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		from, to kb.Status
		hint     string // "" where it may
	}{
		{kb.Active, kb.Stale, ""},
		{kb.Active, kb.Active, ""},
		{kb.Stale, kb.Active, ""},
		{kb.Stale, kb.Compacted, ""},
		{kb.Compacted, kb.Compacted, ""},
		{kb.Active, kb.Compacted, "It can become stale, or be removed."},
		{kb.Stale, kb.Contested, "It can become active or compacted, or be removed."},
		{kb.Compacted, kb.Active, "It stays compacted, or is removed."},
		{kb.Contested, kb.Active, "It stays contested, or is removed."},
	} {
		if err := (policy.Lifecycle{}).MayBecome(tc.from, tc.to); err != nil {
			t.Errorf("%s to %s without a table: %v", tc.from, tc.to, err)
		}
		err := strict.Lifecycle.MayBecome(tc.from, tc.to)
		if (err == nil) != (tc.hint == "") {
			t.Errorf("%s to %s: %v", tc.from, tc.to, err)
		} else if err != nil && (kb.CodeOf(err) != kb.Invalid || kb.AsError(err).Hint != tc.hint) {
			t.Errorf("%s to %s: %v, hint %q", tc.from, tc.to, err, kb.AsError(err).Hint)
		}
	}
}

func TestLifecycleIsChecked(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"behind_days = -1", "stale_after = -1", "unlinked_after = 1000000", "exempt = { paths = [\"[\"] }",
		"effects = { supersedes = \"gone\" }",
		"effects = { \"\" = \"stale\" }",
		"effects = { part_of = \"stale\", \"Part of\" = \"conflict\" }",
		"transitions = { active = [\"gone\"] }",
		"transitions = { gone = [\"active\"] }",
	} {
		if _, err := policy.Parse([]byte("[lifecycle]\n" + bad + "\n")); kb.CodeOf(err) != kb.Invalid || !strings.Contains(err.Error(), "lifecycle.") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	p, err := policy.Parse([]byte("[lifecycle]\neffects = { Replaces = \"stale\", contradicts = \"conflict\" }\n"))
	if err != nil {
		t.Fatal(err)
	}
	if l := p.Lifecycle; !l.Ages() || !l.Relations(policy.MakesStale)["replaces"] || !l.Relations(policy.Conflicts)["contradicts"] {
		t.Errorf("%+v", l)
	}
}

func TestExempt(t *testing.T) {
	t.Parallel()
	e := policy.Exempt{Paths: []string{"log/**"}, Types: []string{"decision"}, Tags: []string{"Pinned"}}
	for _, tc := range []struct {
		page kb.Page
		want bool
	}{
		{kb.Page{Path: "log/2026/a.md"}, true},
		{kb.Page{Path: "a.md", Type: "decision"}, true},
		{kb.Page{Path: "a.md", Tags: []string{"x", "pinned"}}, true},
		{kb.Page{Path: "a.md", Tags: []string{"pinned/here"}}, true},
		{kb.Page{Path: "a.md", Type: "note", Tags: []string{"pinned-once"}}, false},
	} {
		if got := e.Has(tc.page); got != tc.want {
			t.Errorf("%+v: %v", tc.page, got)
		}
	}
	if (policy.Exempt{}).Has(kb.Page{Path: "a.md"}) {
		t.Error("without a table nothing is exempt")
	}
}
