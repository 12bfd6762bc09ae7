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

// Request asks whether an actor may do something to the page at a path.
type Request struct {
	Actor     kb.Actor
	Operation Operation
	Path      string
	// Metadata is that of the page as it is, by key in lower case. It is asked only where
	// a rule depends on it.
	Metadata func() map[string][]string
	// TakesBack is for an agent that undoes what it wrote itself a short time ago: a rule
	// that lets agents delete no page at all does not count, nor one about the metadata of
	// a page that they change, such as the status that its own contest gave it.
	TakesBack bool
	// Becomes is the metadata that the page has after the change; nil for a change that
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

// Contests reports whether a rule has agents contest pages that they may not edit.
func (p *Policy) Contests() bool {
	return slices.ContainsFunc(p.Permissions.Rules, func(r Rule) bool {
		return r.Effect == Allow && slices.Contains(r.Operations, OpContest)
	})
}

// decide is the effect of the first rule that fits, and that rule.
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

// onlyAgents reports whether the rule is about agents and nobody else.
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

// meansActor reports whether one of the globs means an actor, by kind and name or by
// kind alone. agent:* means every agent: also one without a name, or with a slash in it,
// for clients choose their names.
func meansActor(globs []string, a kb.Actor) bool {
	whole := string(a.Kind) + ":" + strings.ReplaceAll(a.Name, "/", "\x00")
	return matchesAny(globs, a.String()) || matchesAny(globs, string(a.Kind)) || matchesAny(globs, whole)
}

// matchesAny reports whether one of the globs matches. Parse has refused
// globs that are not valid.
func matchesAny(globs []string, s string) bool {
	return slices.ContainsFunc(globs, func(g string) bool {
		return glob.Match(g, s)
	})
}

// matchesAnyCase reports whether one of the globs matches in any case: a rule that takes something from
// agents counts for every spelling of a path, since some systems take them for one file.
func matchesAnyCase(globs []string, path string) bool {
	if matchesAny(globs, path) {
		return true
	}
	path = kb.FoldPath(path)
	return slices.ContainsFunc(globs, func(g string) bool { return glob.Match(kb.FoldPath(g), path) })
}

// Content is what schemas look at.
type Content struct {
	Path     string
	Type     string
	Metadata map[string][]string // by key, lower case
	Headings []string
}

// Violation is one way in which a page breaks a schema.
type Violation struct {
	Key     string // metadata key or heading
	Problem string
	Value   bool // of an existing value, rather than a missing one
	Advice  bool // it is reported and stops no write
}

// patterns are the expressions of policies, which few texts have.
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
