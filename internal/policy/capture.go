package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Capture configures what happens to a captured text after it is stored.
type Capture struct {
	// AutoTags adds tags found in the text.
	AutoTags bool `toml:"auto_tags,omitempty"`
	// Similar is the similarity from which a page is listed as similar to a text,
	// from 0 to 1; 0 is DefaultSimilar.
	Similar float64 `toml:"similar,omitempty"`
	// AutoLink is the similarity from which an active page is linked; 0 links
	// none.
	AutoLink float64 `toml:"auto_link,omitempty"`
	// Record adds to the metadata of a page that it was captured, when, and in
	// which session.
	Record bool `toml:"record,omitempty"`
	// OnSimilar is the answer to a program that captures a text similar to a
	// page.
	OnSimilar OnSimilar `toml:"on_similar,omitempty"`
}

// DefaultSimilar is the similarity from which a new page may repeat an existing
// one. With the built-in model, short notes on different subjects reached 0.64
// at most, and pages of one subject 0.6 to 0.75, which is no news to the author
// of such a page.
const DefaultSimilar = 0.8

// SimilarFrom is Similar, or its default.
func (c Capture) SimilarFrom() float64 { return cmp.Or(c.Similar, DefaultSimilar) }

// OnSimilar is the answer to a program that captures a text similar to a page.
type OnSimilar string

// Without one it is Keep.
const (
	Keep OnSimilar = "keep" // the text is stored, and the answer names the pages
	Ask  OnSimilar = "ask"  // nothing is stored, and the error names the pages
)

// Brief configures what a session learns about the space at its start.
type Brief struct {
	Limit int `toml:"limit,omitempty"` // maximum number of listed pages; 0 is DefaultBrief
	// Elsewhere lists its newest pages also in directories that are not mapped
	// to a space.
	Elsewhere bool `toml:"elsewhere,omitempty"`
	// Rules describe when and how an agent should use the space, one or two
	// sentences per line. Sessions receive them at the start, even in directories
	// of no space.
	Rules string `toml:"rules,omitempty"`
}

// MaxRules limits the size of Brief.Rules, in bytes: every session reads them.
const MaxRules = 2000

// Lists reports whether sessions receive the pages of a brief.
func (b Brief) Lists() bool { return b.Limit > 0 || b.Elsewhere }

// DefaultBrief is the default number of pages in a brief.
const DefaultBrief = 10

// Pages is Limit, or its default.
func (b Brief) Pages() int { return cmp.Or(b.Limit, DefaultBrief) }

// Search holds the defaults for searches of the space.
type Search struct {
	Mode string   `toml:"mode,omitempty"` // one of SearchModes; "" is the first
	Rank string   `toml:"rank,omitempty"` // of query: one of SearchRanks; "" is the first
	Hide []string `toml:"hide,omitempty"` // statuses of pages found only on request
}

// SearchModes are the allowed search modes of a space.
func SearchModes() []string { return []string{"fts", "vector", "hybrid", "exact"} }

// SearchRanks are the ways to rank results: by relevance in words and meaning,
// or by the fields of pages alone.
func SearchRanks() []string { return []string{"relevance", "fields"} }

// Hidden returns the statuses of Hide.
func (s Search) Hidden() []kb.Status {
	var out []kb.Status
	for _, name := range s.Hide {
		if status, ok := kb.ParseStatus(name); ok {
			out = append(out, status)
		}
	}
	return out
}

func (p *Policy) validateCapture() error {
	switch c := p.Capture; {
	case !(c.Similar >= 0 && c.Similar <= 1):
		return kb.Errorf(kb.Invalid, "capture.similar %v in the space's policy is not a number from 0 to 1", c.Similar)
	case !(c.AutoLink >= 0 && c.AutoLink <= 1):
		return kb.Errorf(kb.Invalid, "capture.auto_link %v in the space's policy is not a number from 0 to 1", c.AutoLink)
	case c.OnSimilar != "" && c.OnSimilar != Keep && c.OnSimilar != Ask:
		return kb.Errorf(kb.Invalid, "capture.on_similar %q in the space's policy is neither keep nor ask", c.OnSimilar)
	case p.Brief.Limit < 0:
		return kb.Errorf(kb.Invalid, "brief.limit in the space's policy is negative")
	case len(p.Brief.Rules) > MaxRules:
		return kb.Errorf(kb.Invalid, "brief.rules in the space's policy has %d bytes (at most %d)", len(p.Brief.Rules), MaxRules)
	case p.Search.Rank != "" && !slices.Contains(SearchRanks(), p.Search.Rank):
		return kb.Errorf(kb.Invalid, "search.rank %q in the space's policy is unknown", p.Search.Rank).
			WithHint("Ranks are %s.", strings.Join(SearchRanks(), ", "))
	case p.Search.Mode != "" && !slices.Contains(SearchModes(), p.Search.Mode):
		return kb.Errorf(kb.Invalid, "search.mode %q in the space's policy is unknown", p.Search.Mode).
			WithHint("It is one of %s, or not set.", kb.Listed(SearchModes()))
	}
	for _, name := range p.Search.Hide {
		if _, ok := kb.ParseStatus(name); !ok || name == "" {
			return kb.Errorf(kb.Invalid, "search.hide in the space's policy names the unknown status %q", name).
				WithHint("Statuses are %s.", kb.Listed(kb.Statuses))
		}
	}
	return nil
}
