package lint

import (
	"fmt"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// maxFaults is the number of faults that a refusal describes.
const maxFaults = 5

// Refusal is the error of a write that would add fatal faults, nil without any.
func Refusal(found []Finding) error {
	if len(found) == 0 {
		return nil
	}
	Sort(found)
	lines := make([]string, len(found))
	details := make([]map[string]any, len(found))
	for i, f := range found {
		at := f.Path
		if f.Line != 0 {
			at = fmt.Sprintf("%s:%d", f.Path, f.Line)
		}
		lines[i] = fmt.Sprintf("%s: %s (%s)", at, f.Message, f.Rule)
		details[i] = map[string]any{"rule": string(f.Rule), "severity": string(f.Severity), "path": f.Path, "line": f.Line, "message": f.Message}
	}
	rules := "a rule of the space"
	if len(found) > 1 {
		rules = fmt.Sprintf("%d rules of the space", len(found))
	}
	return kb.Errorf(kb.Invalid, "the write would break %s: %s", rules, strings.Join(lines[:min(len(lines), maxFaults)], "; ")).
		WithHint("Nothing was written. Fix these faults and try again.").With("findings", details)
}
