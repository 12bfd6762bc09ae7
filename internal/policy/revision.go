package policy

import (
	"cmp"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// Revision preserves the changes of others on pages that agents rewrite
// repeatedly: the new text is added under a heading.
type Revision struct {
	Paths   []string `toml:"paths,omitempty"`   // globs
	Heading string   `toml:"heading,omitempty"` // with {time}; "Agent revision — {time}" when empty
}

// Has reports whether a page at a path is protected.
func (r Revision) Has(path string) bool { return matchesAnyCase(r.Paths, path) }

// At returns the heading for an addition at a time.
func (r Revision) At(now time.Time) string {
	return strings.ReplaceAll(r.heading(), "{time}", now.Format(time.RFC3339))
}

// Is reports whether a heading belongs to an addition.
func (r Revision) Is(heading string) bool {
	before, _, timed := strings.Cut(r.heading(), "{time}")
	if !timed {
		return heading == r.heading()
	}
	rest, ok := strings.CutPrefix(heading, before)
	for _, n := range []int{len("2006-01-02T15:04:05Z"), len("2006-01-02T15:04:05+01:00")} {
		if ok && len(rest) >= n {
			if at, err := time.Parse(time.RFC3339, rest[:n]); err == nil && r.At(at) == heading {
				return true
			}
		}
	}
	return false
}

func (r Revision) heading() string { return cmp.Or(r.Heading, "Agent revision — {time}") }

func (r Revision) validate() error {
	for _, g := range r.Paths {
		if !glob.Valid(g) {
			return kb.Errorf(kb.Invalid, "revision in the space's policy has %q, which is not a valid pattern", g)
		}
	}
	if strings.ContainsAny(r.Heading, "\n\r") {
		return kb.Errorf(kb.Invalid, "the heading of revision in the space's policy has several lines")
	}
	return nil
}
