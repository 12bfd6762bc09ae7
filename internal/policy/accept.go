package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// acting lists the parts that do nothing until they are accepted, with what they do.
var acting = []struct {
	name  string
	field func(*Policy) any // pointer to it
	does  func(*Policy) string
}{
	{"guard", func(p *Policy) any { return &p.Guard }, func(p *Policy) string { return p.Guard.does() }},
	{"retention", func(p *Policy) any { return &p.Retention }, func(p *Policy) string { return p.Retention.does() }},
	{"rotate", func(p *Policy) any { return &p.Rotate }, func(p *Policy) string {
		return "start pages again when a day or week ends: " + enumerate(p.Rotate, func(r Rotation) string { return r.Page })
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

// mostNamed is how many values a line of what a part does names.
const mostNamed = 3

func enumerate[T any](all []T, name func(T) string) string {
	var out []string
	for i, one := range all {
		if i == mostNamed {
			out = append(out, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		out = append(out, name(one))
	}
	return strings.Join(out, ", ")
}

// Acts lists the parts by which the policy acts, with what they do.
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

// Within returns the policy of a directory as far as it may act: accepted is the policy
// that a person accepted there, nil for none, and defaults are the user's own, which
// need no acceptance. Of a part that differs from both, the accepted one holds; what
// takes rights from agents holds at once. Waiting of the result lists the parts that
// were held back.
func (p *Policy) Within(accepted, defaults *Policy) *Policy {
	out := *p
	out.Waiting = nil
	if accepted == nil {
		accepted = &Policy{Permissions: p.Permissions, Timeline: p.Timeline}
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

// bind sets the parts that bind agents: the stricter of what the policy has now and what
// was accepted.
func (p *Policy) bind(now, accepted, defaults *Policy) {
	p.Timeline.AppendOnly = now.Timeline.AppendOnly || accepted.Timeline.AppendOnly
	if !equal(reflect.ValueOf(now.Permissions), reflect.ValueOf(accepted.Permissions)) {
		had := accepted.Permissions
		p.Permissions = Permissions{
			Default: had.Default, Closed: now.Permissions.Closed || had.Closed,
			Rules: slices.Concat(slices.DeleteFunc(slices.Clone(now.Permissions.Rules), func(r Rule) bool { return r.Effect != Deny }), had.Rules),
		}
		if now.Permissions.Default == Deny {
			p.Permissions.Default = Deny
		}
		p.Waiting = append(p.Waiting, kb.PolicyPart{Name: "permissions", Does: "let agents do what the accepted rules deny"})
	}
	s, had := now.Secrets, accepted.Secrets
	if s.Off && !had.Off && !defaults.Secrets.Off {
		p.Secrets.Off = false
		p.Waiting = append(p.Waiting, kb.PolicyPart{Name: "secrets", Does: "let all credentials be written into the space"})
	}
	if more := slices.DeleteFunc(slices.Clone(s.Allow), func(rule string) bool {
		return slices.Contains(had.Allow, rule) || slices.Contains(defaults.Secrets.Allow, rule)
	}); len(more) > 0 {
		p.Secrets.Allow = slices.DeleteFunc(slices.Clone(s.Allow), func(rule string) bool { return slices.Contains(more, rule) })
		if !s.Off {
			p.Waiting = append(p.Waiting, kb.PolicyPart{Name: "secrets", Does: "let credentials of these rules be written into the space: " + strings.Join(more, ", ")})
		}
	}
}

// AcceptChange returns what is accepted after a person changed a policy by cairn: the
// parts that the change touched, besides those accepted before. accepted is nil where
// nothing was.
func AcceptChange(accepted, before, after *Policy) *Policy {
	out := *after
	if accepted == nil {
		accepted = &Policy{Permissions: before.Permissions, Timeline: before.Timeline}
	}
	keep := func(now, was, had reflect.Value) {
		if equal(now, was) {
			now.Set(had)
		}
	}
	for _, part := range acting {
		keep(reflect.ValueOf(part.field(&out)).Elem(), reflect.ValueOf(part.field(before)).Elem(), reflect.ValueOf(part.field(accepted)).Elem())
	}
	for _, field := range []func(*Policy) any{
		func(p *Policy) any { return &p.Permissions }, func(p *Policy) any { return &p.Timeline },
		func(p *Policy) any { return &p.Secrets.Off }, func(p *Policy) any { return &p.Secrets.Allow },
	} {
		keep(reflect.ValueOf(field(&out)).Elem(), reflect.ValueOf(field(before)).Elem(), reflect.ValueOf(field(accepted)).Elem())
	}
	return &out
}

func equal(a, b reflect.Value) bool { return reflect.DeepEqual(a.Interface(), b.Interface()) }
