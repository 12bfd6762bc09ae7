package policy

import (
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Injection is a page injected at the start of every session of an agent.
type Injection struct {
	Path      string `toml:"path"`
	MaxTokens int    `toml:"max_tokens,omitempty"`

	// As is the name of the tag around the text of the page, and Snapshot adds
	// the time of reading to the tag.
	As       string `toml:"as,omitempty"`
	Snapshot bool   `toml:"snapshot,omitempty"`

	// Flows are patterns of the flows that get the page, and only they do;
	// Except are patterns of flows that do not.
	Flows  []string `toml:"flows,omitempty"`
	Except []string `toml:"except,omitempty"`

	// MaxBytes is the size above which the page is left out; 0 is unlimited.
	MaxBytes int `toml:"max_bytes,omitempty"`

	// Always are the headings of sections that are injected even if the page
	// exceeds its max_tokens.
	Always []string `toml:"always,omitempty"`

	Last *LastEntries `toml:"last,omitempty"` // limit of a section

	// OnDemand pages are only listed in the catalog, not injected into their flows.
	OnDemand bool `toml:"on_demand,omitempty"`
}

// LastEntries limits the entries of a section, which are its list items.
type LastEntries struct {
	Section string   `toml:"section"` // heading
	N       int      `toml:"n"`       // the last ones
	Except  []string `toml:"except,omitempty"`
}

// For reports whether the page is injected into a flow; "" is a session without
// one.
func (in Injection) For(flow string) bool {
	if len(in.Flows) > 0 && !isOneOf(in.Flows, flow) {
		return false
	}
	return !isOneOf(in.Except, flow)
}

// For reports whether the section is shortened for a flow.
func (l *LastEntries) For(flow string) bool { return l != nil && !isOneOf(l.Except, flow) }

func isOneOf(patterns []string, flow string) bool {
	return flow != "" && slices.ContainsFunc(patterns, func(p string) bool { return glob.Match(p, flow) })
}

var tagName = lazyregexp.New(`^[a-z][a-z0-9_]*$`)

func (in Injection) validate(n int) error {
	switch {
	case in.Path == "" || in.MaxTokens < 0:
		return kb.Errorf(kb.Invalid, "inject %d needs a path, and no negative max_tokens", n)
	case in.MaxBytes < 0:
		return kb.Errorf(kb.Invalid, "inject of %s in the space's policy: max_bytes is %d", in.Path, in.MaxBytes)
	case in.As != "" && !tagName().MatchString(in.As):
		return kb.Errorf(kb.Invalid, "inject of %s in the space's policy: %q is not a valid name of a tag", in.Path, in.As).
			WithHint("Use small letters, digits and _.")
	case in.Last != nil && (in.Last.Section == "" || in.Last.N < 1):
		return kb.Errorf(kb.Invalid, "inject of %s in the space's policy: last needs a section, and an n above 0", in.Path)
	}
	flows := slices.Concat(in.Flows, in.Except)
	if in.Last != nil {
		flows = append(flows, in.Last.Except...)
	}
	for _, f := range flows {
		if !glob.Valid(f) {
			return kb.Errorf(kb.Invalid, "inject of %s in the space's policy: %q is not a valid pattern", in.Path, f)
		}
	}
	return nil
}
