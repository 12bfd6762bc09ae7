package policy

import (
	"path"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// Inbox selects the pages that wait to be filed by a person.
type Inbox struct {
	Paths []string `toml:"paths,omitempty"` // globs
	// Done is the prefix for the path of a filed page, such as scratch/inbox-.
	Done string `toml:"done,omitempty"`
}

// Has reports whether a page at a path is waiting.
func (i Inbox) Has(path string) bool { return matchesAny(i.Paths, path) }

// After returns the path of a page after it was filed.
func (i Inbox) After(p string) string { return i.Done + path.Base(p) }

func (i Inbox) validate() error {
	if len(i.Paths) == 0 && i.Done == "" {
		return nil
	}
	if len(i.Paths) == 0 || !isPath(i.Done+"x") {
		return kb.Errorf(kb.Invalid, "inbox in the space's policy needs paths, and %q is not where a page can go", i.Done).
			WithHint("Write it as scratch/inbox-.")
	}
	for _, g := range i.Paths {
		if !glob.Valid(g) {
			return kb.Errorf(kb.Invalid, "inbox in the space's policy has %q, which is not a valid pattern", g)
		}
	}
	if i.Has(i.After("x.md")) {
		return kb.Errorf(kb.Invalid, "inbox in the space's policy: pages moved to %s would still be in the inbox", i.Done)
	}
	return nil
}
