package policy

import (
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Lint sets the severities of lint rules in a space. Other rules have the
// severity of LintRules.
type Lint struct {
	// Enforce rejects a write that adds a fatal fault. Existing faults of a page do
	// not prevent it.
	Enforce bool `toml:"enforce,omitempty"`

	Fatal []LintRule `toml:"fatal,omitempty"`
	Warn  []LintRule `toml:"warn,omitempty"`
	Off   []LintRule `toml:"off,omitempty"`
}

// LintRule is the name of a kind of fault.
type LintRule string

// Rules.
const (
	LintDrawerMalformed  LintRule = "drawer-malformed"
	LintDrawerUnclosed   LintRule = "drawer-unclosed"
	LintDrawerMisplaced  LintRule = "drawer-misplaced"
	LintFrontmatter      LintRule = "frontmatter-invalid"
	LintBlockUnclosed    LintRule = "block-unclosed"
	LintIDMissing        LintRule = "id-missing"
	LintIDInvalid        LintRule = "id-invalid"
	LintIDRepeated       LintRule = "id-repeated"
	LintTitleMissing     LintRule = "title-missing"
	LintPropertyMissing  LintRule = "property-missing"
	LintValueInvalid     LintRule = "value-invalid"
	LintPropertyRepeated LintRule = "property-repeated"
	LintLinkDead         LintRule = "link-dead"
	LintAnchorMissing    LintRule = "anchor-missing"
	LintConflict         LintRule = "conflict-markers"
	LintNoText           LintRule = "no-text"
	LintSecret           LintRule = "secret"
	LintActive           LintRule = "active-content"
	LintIndex            LintRule = "index-stale"
	LintSourceMissing    LintRule = "source-missing"
	LintSourceLarge      LintRule = "source-large"
	LintStyle            LintRule = "style"
)

// Severity is the severity of a fault.
type Severity string

// Severities. Rules that are off are not checked.
const (
	Fatal   Severity = "fatal"
	Warning Severity = "warning"
	Off     Severity = "off"
)

// LintRuleInfo describes a rule and its default severity.
type LintRuleInfo struct {
	Rule     LintRule
	Severity Severity
	Finds    string
}

// LintRules lists the rules in the order in which they are documented.
func LintRules() []LintRuleInfo {
	return []LintRuleInfo{
		{LintDrawerMalformed, Fatal, "a property drawer with a line that is not a property"},
		{LintDrawerUnclosed, Fatal, "a property drawer without :END:"},
		{LintDrawerMisplaced, Fatal, "a property drawer that neither opens the file nor follows its heading"},
		{LintFrontmatter, Fatal, "frontmatter that is not closed, or cannot be read"},
		{LintBlockUnclosed, Fatal, "an Org block without its end line"},
		{LintIDMissing, Off, "a document without an id"},
		{LintIDInvalid, Warning, "an id that is not a UUID"},
		{LintIDRepeated, Fatal, "an id that occurs twice in the space"},
		{LintTitleMissing, Off, "a document without a title in its metadata"},
		{LintPropertyMissing, Fatal, "a property or section that a schema requires is missing"},
		{LintValueInvalid, Fatal, "a value that a schema does not allow"},
		{LintPropertyRepeated, Warning, "a property that is set twice in one drawer or frontmatter"},
		{LintLinkDead, Fatal, "a link to an id that no page has"},
		{LintAnchorMissing, Warning, "a link to a heading or block that its page does not have"},
		{LintConflict, Fatal, "conflict markers of an unfinished merge"},
		{LintNoText, Fatal, "binary data"},
		{LintSecret, Fatal, "a credential"},
		{LintActive, Warning, "what an editor may run: local variables, `elisp:` and `shell:` links, remote setup files, diary expressions, macros that evaluate"},
		{LintIndex, Fatal, "an index file that is missing, incomplete, out of date or edited"},
		{LintSourceMissing, Fatal, "a source that a page names, or must name, and that is not there"},
		{LintSourceLarge, Warning, "a source of more than 256 KB"},
		{LintStyle, Warning, "anything else that is most likely a mistake"},
	}
}

// Severity returns the severity of a rule in this space.
func (l Lint) Severity(rule LintRule) Severity {
	switch {
	case slices.Contains(l.Off, rule):
		return Off
	case slices.Contains(l.Fatal, rule):
		return Fatal
	case slices.Contains(l.Warn, rule):
		return Warning
	}
	for _, r := range LintRules() {
		if r.Rule == rule {
			return r.Severity
		}
	}
	return Warning
}

func (l Lint) validate() error {
	known := map[LintRule]bool{}
	var names []string
	for _, r := range LintRules() {
		known[r.Rule] = true
		names = append(names, string(r.Rule))
	}
	seen := map[LintRule]bool{}
	for _, rule := range slices.Concat(l.Fatal, l.Warn, l.Off) {
		if !known[rule] {
			return kb.Errorf(kb.Invalid, "lint in the space's policy has %q: not a rule", rule).
				WithHint("Rules are %s.", strings.Join(names, ", "))
		}
		if seen[rule] {
			return kb.Errorf(kb.Invalid, "lint in the space's policy sets %s twice", rule)
		}
		seen[rule] = true
	}
	return nil
}
