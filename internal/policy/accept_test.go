package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/policy"
)

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func waiting(p *policy.Policy) (names []string) {
	for _, part := range p.Waiting {
		names = append(names, part.Name)
	}
	return names
}

// everything is a policy in which each part acts.
const everything = `format = "markdown"
skills = "skills"
[guard]
commit = true
push = true
fetch = 60
settle = 1
[retention]
snapshot_days = 1
[[retention.page]]
paths = ["*.md"]
age = "1h"
[[retention.section]]
page = "log.md"
heading = "Day {date}"
keep = 2
[[rotate]]
page = "today.md"
to = "yesterday.md"
[[region]]
page = "index.md"
[index]
file = "contents"
[sources]
dir = "raw"
needed = { confidence = ["external"] }
[api]
context = true
[lifecycle]
stale_after = 1
[compact]
every = 1
[journal]
paths = ["journal/*"]
[[routine]]
page = "routines/a.md"
cron = "* * * * *"
[[inject]]
path = "user.md"
as = "user"
[brief]
elsewhere = true
rules = "Look here first."
[secrets]
off = true
`

func TestWithin(t *testing.T) {
	t.Parallel()
	none := &policy.Policy{}
	parts := []string{"guard", "retention", "rotate", "index", "sources", "region", "lifecycle", "compact", "journal", "routine", "inject", "skills", "api", "brief", "rules", "secrets"}
	all := parse(t, everything)
	inert := all.Within(nil, none)
	if got := waiting(inert); !slices.Equal(got, parts) {
		t.Errorf("waiting: %v", got)
	}
	for _, part := range inert.Waiting {
		if part.Does == "" {
			t.Errorf("%s says nothing", part.Name)
		}
	}
	if inert.Guard != (policy.Guard{}) || inert.Secrets.Off || inert.Skills != "" || inert.Index != (policy.Index{}) || len(inert.Outside()) > 0 || inert.API.Context || inert.Brief != (policy.Brief{}) ||
		len(inert.Retention.Pages)+len(inert.Rotate)+len(inert.Regions)+len(inert.Routines)+len(inert.Inject)+len(inert.Journal.Paths) > 0 {
		t.Errorf("acts all the same: %+v", inert)
	}
	if !all.Guard.Push || !all.Secrets.Off {
		t.Error("the policy itself was changed")
	}
	if got := all.Within(all, none); len(got.Waiting) > 0 || !got.Guard.Push || !got.Secrets.Off {
		t.Errorf("accepted: %+v", got)
	}
	if got := all.Within(nil, all); len(got.Waiting) > 0 || !got.Guard.Push {
		t.Errorf("as the user's own defaults: %v", waiting(got))
	}

	commit := parse(t, "[guard]\ncommit = true\n")
	for name, test := range map[string]struct {
		now, accepted *policy.Policy
		waits         []string
		guard         policy.Guard
	}{
		"more than was accepted": {all, commit, []string{"retention", "rotate", "index", "sources", "region", "lifecycle", "compact", "journal", "routine", "inject", "skills", "api", "brief", "rules", "secrets"}, policy.Guard{Commit: true}},
		"less than was accepted": {none, commit, nil, policy.Guard{}},
		"the same":               {commit, commit, nil, policy.Guard{Commit: true}},
	} {
		got := test.now.Within(test.accepted, none)
		if name == "more than was accepted" {
			test.waits = append([]string{"guard"}, test.waits...)
		}
		if !slices.Equal(waiting(got), test.waits) || got.Guard != test.guard {
			t.Errorf("%s: %v waits, guard %+v", name, waiting(got), got.Guard)
		}
	}
}

// What binds agents is the stricter of the accepted policy and the present one.
func TestWithinBinds(t *testing.T) {
	t.Parallel()
	denies := func(p *policy.Policy, path string) bool {
		for _, r := range p.Permissions.Rules {
			if slices.Contains(r.Paths, path) {
				return r.Effect == policy.Deny
			}
		}
		return p.Permissions.Default == policy.Deny
	}
	const rules = "[[permissions.rule]]\neffect = \"deny\"\nactors = [\"agent:*\"]\npaths = [\"rules/**\"]\n"
	const loose = "[[permissions.rule]]\neffect = \"allow\"\npaths = [\"rules/**\"]\n"
	none := &policy.Policy{}
	strict, open := parse(t, rules+"[timeline]\nappend_only = true\n"), parse(t, loose)
	if got := open.Within(strict, none); !denies(got, "rules/**") || !got.Timeline.AppendOnly || !slices.Equal(waiting(got), []string{"timeline", "permissions"}) {
		t.Errorf("loosened from outside: %+v", got)
	}
	if got := none.Within(strict, none); !denies(got, "rules/**") || !got.Timeline.AppendOnly {
		t.Errorf("taken away from outside: %+v", got)
	}
	if got := strict.Within(open, none); !denies(got, "rules/**") || !got.Timeline.AppendOnly {
		t.Errorf("tightened from outside: %+v", got)
	}
	if got := strict.Within(nil, none); !denies(got, "rules/**") || !got.Timeline.AppendOnly || len(got.Waiting) > 0 {
		t.Errorf("never accepted: %+v", got)
	}
	allow := parse(t, "[secrets]\nallow = [\"jwt\", \"password\"]\n")
	if got := allow.Within(parse(t, "[secrets]\nallow = [\"jwt\"]\n"), none); !slices.Equal(got.Secrets.Allow, []string{"jwt"}) || !slices.Equal(waiting(got), []string{"secrets"}) {
		t.Errorf("more credentials may pass: %+v", got.Secrets)
	}
}

// Accepted rules that bind agents stay when the policy is changed from outside, and stricter
// ones hold at once.
func TestWithinKeepsWhatBinds(t *testing.T) {
	t.Parallel()
	none := &policy.Policy{}
	const mill = "[[secrets.rule]]\nid = \"mill\"\nkind = \"mill code\"\ntoken = ['MILL-[0-9]{6}']\n"
	for name, test := range map[string]struct {
		accepted, now string
		waits         []string
		binds         func(*policy.Policy) bool
	}{
		"ownership taken out":      {"[ownership]\nuser = [\"me\"]\n", "", []string{"ownership"}, func(p *policy.Policy) bool { return slices.Equal(p.Ownership.User, []string{"me"}) }},
		"ownership of fewer pages": {"[ownership]\nuser = [\"me\"]\npaths = [\"a/*\"]\n", "[ownership]\nuser = [\"me\"]\n", []string{"ownership"}, func(p *policy.Policy) bool { return slices.Equal(p.Ownership.Paths, []string{"a/*"}) }},
		"ownership by other words": {"[ownership]\nuser = [\"me\"]\nasked = \"user asked\"\n", "[ownership]\nuser = [\"me\"]\nasked = \"a\"\n", []string{"ownership"}, func(p *policy.Policy) bool { return p.Ownership.Asked == "user asked" }},
		"ownership of more pages":  {"[ownership]\nuser = [\"me\"]\n", "[ownership]\nuser = [\"me\", \"you\"]\n", nil, func(p *policy.Policy) bool { return len(p.Ownership.User) == 2 }},
		"ownership more strictly":  {"[ownership]\nuser = [\"me\"]\nmode = \"advisory\"\n", "[ownership]\nuser = [\"me\"]\nmode = \"strict\"\n", nil, func(p *policy.Policy) bool { return p.Ownership.Mode == policy.Strict }},
		"ownership by default":     {"[ownership]\nuser = [\"me\"]\nmode = \"advisory\"\n", "[ownership]\nuser = [\"me\"]\n", nil, func(p *policy.Policy) bool { return p.Ownership.Mode != policy.Advisory }},
		"ownership less strictly":  {"[ownership]\nuser = [\"me\"]\nmode = \"strict\"\n", "[ownership]\nuser = [\"me\"]\nmode = \"advisory\"\n", []string{"ownership"}, func(p *policy.Policy) bool { return p.Ownership.Mode == policy.Strict }},
		"ownership is new":         {"", "[ownership]\nuser = [\"me\"]\n", nil, func(p *policy.Policy) bool { return len(p.Ownership.User) == 1 }},
		"revision taken out":       {"[revision]\npaths = [\"a/*\"]\n", "", []string{"revision"}, func(p *policy.Policy) bool { return p.Revision.Has("a/x") }},
		"read-only taken out":      {"[api]\nread_only = [\"a/*\"]\n", "[api]\nread_only = [\"b/*\"]\n", []string{"api"}, func(p *policy.Policy) bool { return slices.Equal(p.API.ReadOnly, []string{"b/*", "a/*"}) }},
		"timeline taken out":       {"[timeline]\nappend_only = true\n", "", []string{"timeline"}, func(p *policy.Policy) bool { return p.Timeline.AppendOnly }},
		"lint taken out":           {"[lint]\nenforce = true\n", "", []string{"lint"}, func(p *policy.Policy) bool { return p.Lint.Enforce }},
		"fatal fault to a warning": {"[lint]\nenforce = true\nfatal = [\"frontmatter-invalid\"]\n", "[lint]\nenforce = true\nwarn = [\"frontmatter-invalid\"]\n", []string{"lint"}, func(p *policy.Policy) bool { return p.Lint.Severity("frontmatter-invalid") == policy.Fatal }},
		"fault fatal by default off": {"[lint]\nenforce = true\n", "[lint]\nenforce = true\noff = [\"link-dead\", \"style\"]\n", []string{"lint"}, func(p *policy.Policy) bool {
			return p.Lint.Severity("link-dead") == policy.Fatal && p.Lint.Severity("style") == policy.Off
		}},
		"fatal fault no more":             {"[lint]\nenforce = true\nfatal = [\"id-missing\"]\n", "[lint]\nenforce = true\n", []string{"lint"}, func(p *policy.Policy) bool { return p.Lint.Severity("id-missing") == policy.Fatal }},
		"more fatal faults":               {"[lint]\nenforce = true\n", "[lint]\nenforce = true\nfatal = [\"style\"]\n", nil, func(p *policy.Policy) bool { return p.Lint.Severity("style") == policy.Fatal }},
		"rules of faults without enforce": {"[lint]\nfatal = [\"style\"]\n", "[lint]\noff = [\"style\"]\n", nil, func(p *policy.Policy) bool { return p.Lint.Severity("style") == policy.Off }},
		"rule for secrets gone":           {mill, "", []string{"secrets"}, func(p *policy.Policy) bool { return len(p.Secrets.Rules) == 1 }},
		"rule for secrets weaker": {mill, strings.Replace(mill, "6}", "9}", 1), []string{"secrets"}, func(p *policy.Policy) bool {
			return len(p.Secrets.Rules) == 1 && strings.Contains(p.Secrets.Rules[0].Token[0], "6}")
		}},
		"rule for secrets is new": {"", mill, nil, func(p *policy.Policy) bool { return len(p.Secrets.Rules) == 1 }},
	} {
		now := parse(t, test.now)
		if got := now.Within(parse(t, test.accepted), none); !slices.Equal(waiting(got), test.waits) || !test.binds(got) {
			t.Errorf("%s: %v waits: %+v", name, waiting(got), got)
		}
		if got := now.Within(now, none); len(got.Waiting) > 0 {
			t.Errorf("%s: %v waits after it was accepted", name, waiting(got))
		}
		// A person who changes another setting accepts no more than that.
		after := parse(t, test.now)
		after.Folder = "inbox"
		if got := after.Within(policy.AcceptChange(parse(t, test.accepted), now, after), none); !slices.Equal(waiting(got), test.waits) || !test.binds(got) {
			t.Errorf("%s, and the folder set: %v waits: %+v", name, waiting(got), got)
		}
	}
}

// A person who changes one setting of a policy accepts that, and nothing else in it.
func TestAcceptChange(t *testing.T) {
	t.Parallel()
	none := &policy.Policy{}
	before, after := parse(t, everything), parse(t, everything)
	after.Retention.SnapshotDays = 30
	accepted := policy.AcceptChange(nil, before, after)
	got := after.Within(accepted, none)
	if slices.Contains(waiting(got), "retention") || got.Retention.SnapshotDays != 30 || got.Guard.Commit || got.Secrets.Off || !slices.Contains(waiting(got), "guard") {
		t.Errorf("%v wait: %+v", waiting(got), got)
	}
	text, err := accepted.Render()
	if err != nil {
		t.Fatal(err)
	}
	if again := after.Within(parse(t, string(text)), none); !slices.Equal(waiting(again), waiting(got)) {
		t.Errorf("stored and read again: %v, not %v", waiting(again), waiting(got))
	}
}
