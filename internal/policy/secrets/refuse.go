package secrets

import (
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// How much of a long list is worth printing. The machine-readable list is
// longer than the sentence, and both are bounded.
const (
	maxInMessage = 5
	maxInDetails = 100
)

// Refusal returns the error for a write of which what, such as "the text", holds
// findings, with code kb.Secret, or nil when there are none. It says kinds and
// lines, never a value. Details hold "findings", a list of {rule, line} of at most 100, and
// "total". The caller must not have written anything.
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
	return kb.Errorf(kb.Secret, "%s holds %s: %s; nothing was written", what, noun, strings.Join(items, ", ")).
		WithHint("%s", hint(findings)).
		WithToolHint("Take the value out and note where it is stored instead. Only the user can let it pass.").
		With("findings", details).
		With("total", len(findings))
}

// hint says how to go on. The flag is named once for each rule found, and not
// at all for what cannot be allowed.
func hint(findings []Finding) string {
	var flags []string
	seen := make(map[string]bool)
	for _, f := range findings {
		if f.Rule == tooMany.ID {
			return "split the text and take the credentials out; keep a reference to where they are stored instead"
		}
		if !seen[f.Rule] {
			seen[f.Rule] = true
			flags = append(flags, "--allow-secret "+f.Rule)
		}
	}
	return fmt.Sprintf("take the value out and note where it is stored instead; if it is no secret, pass %s for this write, or put %s on the line",
		strings.Join(flags, " "), allowMark)
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
