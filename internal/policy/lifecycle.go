package policy

import (
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// Lifecycle configures how time, and the relations of other pages, change the
// status of pages.
type Lifecycle struct {
	// BehindDays is the number of days by which the truth of a page may be
	// older than its timeline before it counts as stale; 0 is unlimited.
	BehindDays int `toml:"behind_days,omitempty"`

	// Effects maps relation types to their effects on target pages. Types are
	// compared like Predicates.
	Effects map[string]LinkEffect `toml:"effects,omitempty"`

	// StaleAfter is the number of days for which a page stays active without a
	// change or review, UnlinkedAfter the same for pages without incoming
	// links; 0 is unlimited. Contested pages do not age.
	StaleAfter    int    `toml:"stale_after,omitempty"`
	UnlinkedAfter int    `toml:"unlinked_after,omitempty"`
	Exempt        Exempt `toml:"exempt,omitempty"` // pages that do not age

	// Transitions are the allowed new statuses for each status. Without any,
	// all are allowed; a status that is not a key is final.
	Transitions map[kb.Status][]kb.Status `toml:"transitions,omitempty"`
}

// Exempt selects pages that meet any of its conditions.
type Exempt struct {
	Paths []string `toml:"paths,omitempty"` // globs
	Types []string `toml:"types,omitempty"`
	Tags  []string `toml:"tags,omitempty"` // or tags nested in them
}

// Empty reports whether no page is exempt.
func (e Exempt) Empty() bool { return len(e.Paths)+len(e.Types)+len(e.Tags) == 0 }

// Has reports whether a page is exempt.
func (e Exempt) Has(p kb.Page) bool {
	return matchesAny(e.Paths, p.Path) || slices.Contains(e.Types, p.Type) || slices.ContainsFunc(e.Tags, func(tag string) bool {
		tag = strings.ToLower(tag)
		return slices.ContainsFunc(p.Tags, func(has string) bool {
			has = strings.ToLower(has)
			return has == tag || strings.HasPrefix(has, tag+"/")
		})
	})
}

// LinkEffect is the effect of a relation on its target page.
type LinkEffect string

// Effects of relations.
const (
	MakesStale LinkEffect = "stale"    // the page is replaced
	Conflicts  LinkEffect = "conflict" // the two cannot both hold, until one of them is removed
)

// Relations returns the relations with an effect, by normalised key.
func (l Lifecycle) Relations(effect LinkEffect) map[string]bool {
	out := map[string]bool{}
	for name, e := range l.Effects {
		if e == effect {
			out[kb.NameKey(name)] = true
		}
	}
	return out
}

// Ages reports whether pages become stale by age.
func (l Lifecycle) Ages() bool {
	return l.AgesUnused() || len(l.Relations(MakesStale)) > 0
}

// AgesUnused reports whether pages become stale when they are not used.
func (l Lifecycle) AgesUnused() bool { return l.StaleAfter > 0 || l.UnlinkedAfter > 0 }

// MayBecome rejects a change from one status to another that the policy does not
// allow.
func (l Lifecycle) MayBecome(from, to kb.Status) error {
	allowed := l.Transitions[from]
	if from == to || len(l.Transitions) == 0 || slices.Contains(allowed, to) {
		return nil
	}
	e := kb.Errorf(kb.Invalid, "a page that is %s cannot become %s in this space", from, to).
		With("from", from).With("to", to).With("allowed", append([]kb.Status{}, allowed...))
	if len(allowed) == 0 {
		return e.WithHint("It stays %s, or is removed.", from)
	}
	names := make([]string, len(allowed))
	for i, s := range allowed {
		names[i] = string(s)
	}
	return e.WithHint("It can become %s, or be removed.", strings.Join(names, " or "))
}

func (l Lifecycle) validate() error {
	for key, days := range map[string]int{"behind_days": l.BehindDays, "stale_after": l.StaleAfter, "unlinked_after": l.UnlinkedAfter} {
		if days < 0 || days > maxRetention {
			return kb.Errorf(kb.Invalid, "lifecycle.%s in the space's policy is %d, which is not between 0 and %d", key, days, maxRetention)
		}
	}
	for _, g := range l.Exempt.Paths {
		if !glob.Valid(g) {
			return kb.Errorf(kb.Invalid, "lifecycle.exempt.paths in the space's policy has %q, which is not a valid pattern", g)
		}
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(l.Effects)) {
		key := kb.NameKey(name)
		switch e := l.Effects[name]; {
		case key == "" || seen[key]:
			return kb.Errorf(kb.Invalid, "lifecycle.effects in the space's policy has no relation %q, or has it twice", name)
		case e != MakesStale && e != Conflicts:
			return kb.Errorf(kb.Invalid, "lifecycle.effects in the space's policy: %q of %s is neither stale nor conflict", e, name)
		}
		seen[key] = true
	}
	for _, from := range slices.Sorted(maps.Keys(l.Transitions)) {
		for _, s := range append([]kb.Status{from}, l.Transitions[from]...) {
			if !slices.Contains(kb.Statuses, s) {
				return kb.Errorf(kb.Invalid, "lifecycle.transitions in the space's policy names the unknown status %q", s).
					WithHint("Statuses are %s.", kb.Listed(kb.Statuses))
			}
		}
	}
	return nil
}
