package policy

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// Request asks whether an actor may apply an operation to the page at a path.
type Request struct {
	Actor     kb.Actor
	Operation Operation
	Path      string
	// Metadata returns the present metadata of the page, by lower-case key. It is
	// only called if a rule depends on it.
	Metadata func() map[string][]string
	// TakesBack is set for an agent that undoes its own recent write. Rules that do
	// not allow agents to delete any page are ignored then, and so are rules about
	// the metadata of a page that they change, such as the status set by their own
	// contest.
	TakesBack bool
	// Becomes is the metadata of the page after the change; nil for a change that
	// keeps it.
	Becomes func() map[string][]string
}

// Check returns nil when the request is allowed, and kb.Refused with the
// rule's reason when it is not.
func (p *Policy) Check(r Request) error {
	effect, rule := p.decide(r)
	if effect != Deny {
		return nil
	}
	reason := cmp.Or(rule.Reason, "the space's permissions do not allow it")
	err := kb.Errorf(kb.Refused, "%s may not %s %s: %s", r.Actor, r.Operation, r.Path, reason).
		With("operation", string(r.Operation)).With("path", r.Path)
	if len(rule.Sets) == 0 && (r.Operation == OpEdit || r.Operation == OpWrite) {
		asked := r
		asked.Operation = OpContest
		if instead, _ := p.decide(asked); instead != Deny {
			return err.WithReason(kb.MayContest).WithFact("path", r.Path)
		}
	}
	return err.WithReason(kb.NotPermitted)
}

// Contests reports whether a rule lets agents contest pages that they may not edit.
func (p *Policy) Contests() bool {
	return slices.ContainsFunc(p.Permissions.Rules, func(r Rule) bool {
		return r.Effect == Allow && slices.Contains(r.Operations, OpContest)
	})
}

// decide returns the effect of the first matching rule, and that rule.
func (p *Policy) decide(r Request) (Effect, Rule) {
	for _, rule := range p.Permissions.Rules {
		if rule.fits(r) {
			return rule.Effect, rule
		}
	}
	return p.Permissions.Default, Rule{}
}

func (rule Rule) fits(r Request) bool {
	if r.TakesBack && rule.onlyAgents() && len(rule.Paths)+len(rule.Sets) == 0 && (r.Operation == OpDelete) == (len(rule.When) == 0) {
		return false
	}
	if len(rule.Operations) > 0 && !slices.Contains(rule.Operations, r.Operation) &&
		(r.Operation != OpContest || !slices.Contains(rule.Operations, OpEdit)) {
		return false
	}
	if len(rule.Actors) > 0 && !meansActor(rule.Actors, r.Actor) {
		return false
	}
	return (len(rule.Paths) == 0 || matchesAny(rule.Paths, r.Path) || rule.Effect == Deny && matchesAnyCase(rule.Paths, r.Path)) && rule.holds(r)
}

// onlyAgents reports whether the rule applies only to agents.
func (rule Rule) onlyAgents() bool {
	return len(rule.Actors) > 0 && !slices.ContainsFunc(rule.Actors, func(a string) bool {
		return a != string(kb.Agent) && !strings.HasPrefix(a, string(kb.Agent)+":")
	})
}

// holds reports whether the condition of the rule applies to the page.
func (rule Rule) holds(r Request) bool {
	if len(rule.When)+len(rule.Sets) == 0 {
		return true
	}
	if len(rule.When) > 0 && r.Metadata == nil || len(rule.Sets) > 0 && r.Becomes == nil {
		return false
	}
	var has, gets map[string][]string
	if r.Metadata != nil {
		has = r.Metadata()
	}
	if len(rule.Sets) > 0 {
		gets = r.Becomes()
	}
	for key, values := range rule.When {
		if !haveOne(has[key], values) {
			return false
		}
	}
	for key, values := range rule.Sets {
		if !haveOne(gets[key], values) || haveOne(has[key], values) {
			return false
		}
	}
	return true
}

func haveOne(have, values []string) bool {
	return slices.ContainsFunc(have, func(v string) bool { return slices.Contains(values, v) })
}

func (rule Rule) validateConditions(n int) error {
	for _, condition := range []map[string][]string{rule.When, rule.Sets} {
		for key, values := range condition {
			if key == "" || key != strings.ToLower(key) || len(values) == 0 {
				return kb.Errorf(kb.Invalid, "permission rule %d has the condition %q: not a lower-case key with values", n, key)
			}
		}
	}
	return nil
}

// meansActor reports whether one of the globs matches an actor, by kind and name or
// by kind alone. agent:* matches every agent, including one without a name, or with
// a slash in it, since clients choose their names.
func meansActor(globs []string, a kb.Actor) bool {
	whole := string(a.Kind) + ":" + strings.ReplaceAll(a.Name, "/", "\x00")
	return matchesAny(globs, a.String()) || matchesAny(globs, string(a.Kind)) || matchesAny(globs, whole)
}

// matchesAny reports whether one of the globs matches. Parse has rejected invalid
// globs.
func matchesAny(globs []string, s string) bool {
	return slices.ContainsFunc(globs, func(g string) bool {
		return glob.Match(g, s)
	})
}

// matchesAnyCase reports whether one of the globs matches, ignoring case: a rule
// that restricts agents applies to every spelling of a path, since these may be the
// same file on some systems.
func matchesAnyCase(globs []string, path string) bool {
	if matchesAny(globs, path) {
		return true
	}
	path = kb.FoldPath(path)
	return slices.ContainsFunc(globs, func(g string) bool { return glob.Match(kb.FoldPath(g), path) })
}

// Content is the input of schemas.
type Content struct {
	Path     string
	Type     string
	Metadata map[string][]string // by key, lower case
	Headings []string
}

// Violation is one violation of a schema by a page.
type Violation struct {
	Key     string // metadata key or heading
	Problem string
	Value   bool // concerns an existing value, not a missing one
	Advice  bool // it is reported and does not prevent a write
}

// patterns caches the expressions of policies, of which there are few.
var patterns sync.Map

// patternOf compiles an expression that must match a whole value; nil for an
// invalid one, which validate has rejected.
func patternOf(expr string) *regexp.Regexp {
	if known, ok := patterns.Load(expr); ok {
		return known.(*regexp.Regexp)
	}
	re, err := regexp.Compile(`^(?:` + expr + `)$`)
	if err != nil {
		return nil
	}
	patterns.Store(expr, re)
	return re
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
