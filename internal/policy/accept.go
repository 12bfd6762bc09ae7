package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// acting lists the parts without effect until they are accepted, with descriptions.
var acting = []struct {
	name  string
	field func(*Policy) any // returns a pointer to it
	does  func(*Policy) string
}{
	{"guard", func(p *Policy) any { return &p.Guard }, func(p *Policy) string { return p.Guard.does() }},
	{"retention", func(p *Policy) any { return &p.Retention }, func(p *Policy) string { return p.Retention.does() }},
	{"rotate", func(p *Policy) any { return &p.Rotate }, func(p *Policy) string {
		return "start pages again when a day or week ends: " + enumerate(p.Rotate, func(r Rotation) string { return r.Page })
	}},
	{"index", func(p *Policy) any { return &p.Index }, func(p *Policy) string { return "write index files: " + p.Index.File }},
	{"sources", func(p *Policy) any { return &p.Sources }, func(p *Policy) string {
		return "take the files in " + p.Sources.Dir + " for sources instead of pages"
	}},
	{"region", func(p *Policy) any { return &p.Regions }, func(p *Policy) string {
		return "write generated parts into pages: " + enumerate(p.Regions, func(r Region) string { return r.Page })
	}},
	{"lifecycle", func(p *Policy) any { return &p.Lifecycle }, func(*Policy) string { return "change the status of pages with time and by relations" }},
	{"compact", func(p *Policy) any { return &p.Compact }, func(*Policy) string { return "replace groups of old pages with summaries" }},
	{"journal", func(p *Policy) any { return &p.Journal }, func(p *Policy) string {
		return "export pages of the journal: " + strings.Join(p.Journal.Paths, ", ")
	}},
	{"routine", func(p *Policy) any { return &p.Routines }, func(p *Policy) string {
		return "run routines: " + enumerate(p.Routines, func(r Routine) string { return r.Page })
	}},
	{"inject", func(p *Policy) any { return &p.Inject }, func(p *Policy) string {
		return "give pages to agents in every session: " + enumerate(p.Inject, func(i Injection) string { return i.Path })
	}},
	{"sessions", func(p *Policy) any { return &p.Sessions }, func(*Policy) string { return "read the past sessions of agents" }},
	{"skills", func(p *Policy) any { return &p.Skills }, func(p *Policy) string { return "offer the skills in " + p.Skills + " to agents" }},
	{"api", func(p *Policy) any { return &p.API.Context }, func(*Policy) string { return "serve its pages at /api/context" }},
	{"brief", func(p *Policy) any { return &p.Brief.Elsewhere }, func(*Policy) string { return "show its pages in briefings of other directories" }},
	{"rules", func(p *Policy) any { return &p.Brief.Rules }, func(*Policy) string { return "give its rules to agents in every session" }},
}

func (g Guard) does() string {
	var out []string
	for _, one := range []struct {
		is   bool
		does string
	}{
		{g.Commit, "commit writes to git"}, {g.Settle > 0, "commit files that other programs wrote"},
		{g.Push, "push commits to the remote"}, {g.Fetch > 0, "fetch from the remote"},
		{g.Commit && g.Hooks != SkipHooks, "run the repository's hooks"},
	} {
		if one.is {
			out = append(out, one.does)
		}
	}
	return strings.Join(out, ", ")
}

func (r Retention) does() string {
	var out []string
	if len(r.Pages) > 0 {
		out = append(out, "delete or move pages by age: "+enumerate(r.Pages, func(e Expiry) string {
			return strings.Join(e.Paths, " ") + " after " + e.Age
		}))
	}
	if len(r.Sections) > 0 {
		out = append(out, "cut old sections of "+enumerate(r.Sections, func(s SectionLimit) string { return s.Page }))
	}
	if r.SnapshotDays > 0 {
		out = append(out, fmt.Sprintf("delete texts of old versions after %d days", r.SnapshotDays))
	}
	return strings.Join(out, "; ")
}

// maxNamed is the maximum number of values listed in the description of a part.
const maxNamed = 3

func enumerate[T any](all []T, name func(T) string) string {
	var out []string
	for i, one := range all {
		if i == maxNamed {
			out = append(out, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		out = append(out, name(one))
	}
	return strings.Join(out, ", ")
}

// Acts lists the parts of the policy that make cairn act automatically, with
// descriptions.
func (p *Policy) Acts() (out []kb.PolicyPart) {
	for _, part := range acting {
		if reflect.ValueOf(part.field(p)).Elem().IsZero() {
			continue
		}
		if does := part.does(p); does != "" {
			out = append(out, kb.PolicyPart{Name: part.name, Does: does})
		}
	}
	return out
}

// Within returns the policy of a directory limited to its permitted effects:
// accepted is the policy that a person accepted there, nil for none, and defaults
// are the user's own, which need no acceptance. For a part that differs from both,
// the accepted one applies; parts that only restrict agents apply at once. Waiting
// of the result lists the parts that were held back.
func (p *Policy) Within(accepted, defaults *Policy) *Policy {
	out := *p
	out.Waiting = nil
	if accepted == nil {
		accepted = p.binding()
	}
	for _, part := range acting {
		now := reflect.ValueOf(part.field(&out)).Elem()
		was := reflect.ValueOf(part.field(accepted)).Elem()
		own := reflect.ValueOf(part.field(defaults)).Elem()
		if now.IsZero() || equal(now, was) || equal(now, own) {
			continue
		}
		out.Waiting = append(out.Waiting, kb.PolicyPart{Name: part.name, Does: part.does(p)})
		if was.IsZero() {
			was = own
		}
		now.Set(was)
	}
	out.CommitWaits = p.Guard.Commit && !out.Guard.Commit
	out.bind(p, accepted, defaults)
	return &out
}

// binds lists the parts that only restrict agents: their rules apply without
// acceptance, together with accepted ones.
var binds = []func(*Policy) any{
	func(p *Policy) any { return &p.Permissions }, func(p *Policy) any { return &p.Timeline }, func(p *Policy) any { return &p.Lint },
	func(p *Policy) any { return &p.Ownership }, func(p *Policy) any { return &p.Revision }, func(p *Policy) any { return &p.API.ReadOnly },
	func(p *Policy) any { return &p.Secrets.Rules },
}

// binding returns a policy with only the restricting parts.
func (p *Policy) binding() *Policy {
	out := &Policy{}
	for _, field := range binds {
		reflect.ValueOf(field(out)).Elem().Set(reflect.ValueOf(field(p)).Elem())
	}
	return out
}

// bind sets the parts that bind agents: the stricter of the present and the accepted rules.
func (p *Policy) bind(now, accepted, defaults *Policy) {
	wait := func(part, does string) { p.Waiting = append(p.Waiting, kb.PolicyPart{Name: part, Does: does}) }
	if accepted.Timeline.AppendOnly && !now.Timeline.AppendOnly {
		p.Timeline.AppendOnly = true
		wait("timeline", "let entries of timelines be changed and dropped")
	}
	if p.Lint = now.Lint.stricter(accepted.Lint); !reflect.DeepEqual(p.Lint, now.Lint) {
		wait("lint", "let faults be written that the accepted rules refuse")
	}
	if !equal(reflect.ValueOf(now.Permissions), reflect.ValueOf(accepted.Permissions)) {
		had := accepted.Permissions
		p.Permissions = Permissions{
			Default: had.Default, Closed: now.Permissions.Closed || had.Closed,
			Rules: slices.Concat(slices.DeleteFunc(slices.Clone(now.Permissions.Rules), func(r Rule) bool { return r.Effect != Deny }), had.Rules),
		}
		if now.Permissions.Default == Deny {
			p.Permissions.Default = Deny
		}
		wait("permissions", "let agents do what the accepted rules deny")
	}
	if p.Ownership = now.Ownership.stricter(accepted.Ownership); !reflect.DeepEqual(p.Ownership, now.Ownership) {
		wait("ownership", "let agents change pages that the accepted rules give to the user")
	}
	if p.Revision = now.Revision.stricter(accepted.Revision); !reflect.DeepEqual(p.Revision, now.Revision) {
		wait("revision", "let agents replace what others changed")
	}
	if p.API.ReadOnly = union(now.API.ReadOnly, accepted.API.ReadOnly); len(p.API.ReadOnly) > len(now.API.ReadOnly) {
		wait("api", "let programs write pages that the accepted rules make read-only")
	}
	s, had := now.Secrets, accepted.Secrets
	if s.Off && !had.Off && !defaults.Secrets.Off {
		p.Secrets.Off = false
		wait("secrets", "let all credentials be written into the space")
	}
	if more := slices.DeleteFunc(slices.Clone(s.Allow), func(rule string) bool {
		return slices.Contains(had.Allow, rule) || slices.Contains(defaults.Secrets.Allow, rule)
	}); len(more) > 0 {
		p.Secrets.Allow = slices.DeleteFunc(slices.Clone(s.Allow), func(rule string) bool { return slices.Contains(more, rule) })
		if !s.Off {
			wait("secrets", "let credentials of these rules be written into the space: "+strings.Join(more, ", "))
		}
	}
	var missing []string
	for _, rule := range had.Rules {
		same := func(r secrets.Rule) bool { return reflect.DeepEqual(r, rule) }
		if slices.ContainsFunc(s.Rules, same) {
			continue
		}
		missing = append(missing, rule.ID)
		p.Secrets.Rules = append(slices.DeleteFunc(slices.Clone(p.Secrets.Rules), func(r secrets.Rule) bool { return r.ID == rule.ID }), rule)
	}
	if len(missing) > 0 && !s.Off {
		wait("secrets", "let what these accepted rules find be written into the space: "+strings.Join(missing, ", "))
	}
}

// stricter returns rules by which a page is the user's if it is so by o or by
// accepted, in strict mode if one of them is strict. If the rules cannot be
// combined, the accepted ones are used.
func (o Ownership) stricter(accepted Ownership) Ownership {
	if len(accepted.User) == 0 {
		return o
	}
	if len(o.User) > 0 && o.Mode != Advisory {
		accepted.Mode = o.Mode
	}
	if len(o.User) == 0 || o.Key != accepted.Key || o.Mode != accepted.Mode || o.Asked != accepted.Asked {
		return accepted
	}
	o.User, o.Paths = union(o.User, accepted.User), union(o.Paths, accepted.Paths)
	return o
}

// stricter returns rules by which a page is preserved if r or accepted preserves
// it.
func (r Revision) stricter(accepted Revision) Revision {
	switch {
	case len(accepted.Paths) == 0:
		return r
	case r.Heading != accepted.Heading:
		return accepted
	}
	r.Paths = union(r.Paths, accepted.Paths)
	return r
}

// stricter returns rules that reject each fault which l or accepted rejects.
func (l Lint) stricter(accepted Lint) Lint {
	if !accepted.Enforce {
		return l
	}
	l.Enforce = true
	for _, r := range LintRules() {
		if accepted.Severity(r.Rule) != Fatal || l.Severity(r.Rule) == Fatal {
			continue
		}
		other := func(rule LintRule) bool { return rule == r.Rule }
		l.Warn, l.Off = slices.DeleteFunc(slices.Clone(l.Warn), other), slices.DeleteFunc(slices.Clone(l.Off), other)
		l.Fatal = append(slices.Clone(l.Fatal), r.Rule)
	}
	return l
}

// union returns a with the additional values of b.
func union(a, b []string) []string {
	return slices.Concat(a, slices.DeleteFunc(slices.Clone(b), func(s string) bool { return slices.Contains(a, s) }))
}

// AcceptChange returns the accepted policy after a person changed a policy through
// cairn: the changed parts are accepted in addition to those accepted before.
// accepted is nil if there were none.
func AcceptChange(accepted, before, after *Policy) *Policy {
	out := *after
	if accepted == nil {
		accepted = before.binding()
	}
	keep := func(now, was, had reflect.Value) {
		if equal(now, was) {
			now.Set(had)
		}
	}
	for _, part := range acting {
		keep(reflect.ValueOf(part.field(&out)).Elem(), reflect.ValueOf(part.field(before)).Elem(), reflect.ValueOf(part.field(accepted)).Elem())
	}
	for _, field := range slices.Concat(binds, []func(*Policy) any{
		func(p *Policy) any { return &p.Secrets.Off }, func(p *Policy) any { return &p.Secrets.Allow },
	}) {
		keep(reflect.ValueOf(field(&out)).Elem(), reflect.ValueOf(field(before)).Elem(), reflect.ValueOf(field(accepted)).Elem())
	}
	return &out
}

// TakeUp returns an accepted policy with the present state of the parts that needed no
// acceptance, and were not kept, by older rules.
func TakeUp(accepted, now *Policy) *Policy {
	out := *accepted
	for _, field := range []func(*Policy) any{
		func(p *Policy) any { return &p.Index }, func(p *Policy) any { return &p.Sources }, func(p *Policy) any { return &p.API }, func(p *Policy) any { return &p.Lint },
		func(p *Policy) any { return &p.Ownership }, func(p *Policy) any { return &p.Revision }, func(p *Policy) any { return &p.Secrets.Rules },
	} {
		reflect.ValueOf(field(&out)).Elem().Set(reflect.ValueOf(field(now)).Elem())
	}
	return &out
}

func equal(a, b reflect.Value) bool { return reflect.DeepEqual(a.Interface(), b.Interface()) }
