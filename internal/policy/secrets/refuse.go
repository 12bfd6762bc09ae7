package secrets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// How much of a long list is worth printing. The machine-readable list is
// longer than the sentence, and both are bounded.
const (
	maxInMessage = 5
	maxInDetails = 100
)

// Refusal returns the error, with code kb.Secret, for a write that contains
// findings; what names the part, such as "the text". It is nil without
// findings. It has kinds and lines, never a value. Details hold "findings", a
// list of {rule, line} of at most 100, and "total". The caller must not have
// written anything.
func Refusal(what string, findings []Finding) error {
	if len(findings) == 0 {
		return nil
	}
	noun := "a secret"
	if len(findings) > 1 {
		noun = fmt.Sprintf("%d secrets", len(findings))
	}
	var items []string
	for _, f := range findings[:min(len(findings), maxInMessage)] {
		items = append(items, fmt.Sprintf("%s on line %d", f.Kind, f.Line))
	}
	if more := len(findings) - len(items); more > 0 {
		items = append(items, fmt.Sprintf("%d more", more))
	}
	details := make([]map[string]any, 0, min(len(findings), maxInDetails))
	for _, f := range findings[:min(len(findings), maxInDetails)] {
		details = append(details, map[string]any{"rule": f.Rule, "line": f.Line})
	}
	e := kb.Errorf(kb.Secret, "%s holds %s: %s; nothing was written", what, noun, strings.Join(items, ", ")).
		With("findings", details).
		With("total", len(findings))
	rules := rulesOf(findings)
	if slices.Contains(rules, tooMany.ID) {
		return e.WithReason(kb.SecretsTooMany)
	}
	return e.WithReason(kb.SecretFound).WithFact("rules", rules).WithFact("mark", allowMark)
}

// rulesOf returns the rules that found something, each once.
func rulesOf(findings []Finding) []string {
	var out []string
	for _, f := range findings {
		if !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	return out
}

// CheckAllowed refuses, with kb.Usage, ids that neither a rule nor one of the
// space's own has. The caller must not have written anything.
func CheckAllowed(ids []string, own []Rule) error {
	if id := Unknown(ids, own); id != "" {
		return kb.Errorf(kb.Usage, "the secret scan has no rule %q", id).
			WithHint("Nothing was changed. The message that refuses a secret names the rule which found it.")
	}
	return nil
}
