package lint

import (
	"cmp"
	"slices"

	"github.com/cairn-kb/cairn/internal/policy"
)

// Finding is one fault.
type Finding struct {
	Rule     policy.LintRule
	Severity policy.Severity
	Path     string
	Line     int // from 1; 0 for the document as a whole
	Message  string
}

// Fatal reports whether a document with this fault must not be committed.
func (f Finding) Fatal() bool { return f.Severity == policy.Fatal }

// Fatals returns the fatal findings.
func Fatals(found []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return !f.Fatal() })
}

// Sort sorts findings by path, line, rule and message.
func Sort(found []Finding) {
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
}

// New returns the findings after a change that the document did not have before it.
// Equal faults are compared by number.
func New(before, after []Finding) []Finding {
	type fault struct {
		rule    policy.LintRule
		message string
	}
	had := map[fault]int{}
	for _, f := range before {
		had[fault{f.Rule, f.Message}]++
	}
	var out []Finding
	for _, f := range after {
		if had[fault{f.Rule, f.Message}] > 0 {
			had[fault{f.Rule, f.Message}]--
			continue
		}
		out = append(out, f)
	}
	return out
}

// sheet collects the findings of one document.
type sheet struct {
	rules policy.Lint
	path  string
	found []Finding
}

// add adds a fault, unless its rule is off.
func (s *sheet) add(rule policy.LintRule, line int, message string) {
	if severity := s.rules.Severity(rule); severity != policy.Off {
		s.found = append(s.found, Finding{rule, severity, s.path, line, message})
	}
}
