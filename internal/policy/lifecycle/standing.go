package lifecycle

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Standing is what a page says of its life.
type Standing struct {
	Status kb.Status
	Reason string // why it is stale, "" where it does not say
}

// Turn is what becomes of the status of a page. A page that was stale before and has
// another reason now is stale as long as it was.
type Turn struct {
	To     kb.Status
	Reason string // of a page that is stale
}

// The reasons that are given by a rule begin so. A page that is stale for another one
// was made so by somebody, who also makes it active again.
const (
	superseded = "superseded by "
	aged       = "age ("
	unlinked   = "unlinked ("
)

// SupersededBy is the reason of a page that another one replaces, whose ref it is.
func SupersededBy(ref string) string { return superseded + ref }

// IsSuperseded reports whether a reason is one of SupersededBy.
func IsSuperseded(reason string) bool { return strings.HasPrefix(reason, superseded) }

// ByRule reports whether the page is stale for a reason that a rule gave.
func (s Standing) ByRule() bool {
	return s.Status == kb.Stale && (IsSuperseded(s.Reason) || strings.HasPrefix(s.Reason, aged) || strings.HasPrefix(s.Reason, unlinked))
}

// Superseded decides what relations do to a page which replace it: by are the refs of
// the pages that hold one now. It is stale while there is one, and whoever ends the
// last one takes that back.
func (s Standing) Superseded(by []string) (turn Turn, turns bool) {
	switch {
	case len(by) > 0 && s.Status == kb.Active:
		return Turn{kb.Stale, SupersededBy(by[0])}, true
	case s.Status != kb.Stale || !IsSuperseded(s.Reason):
		return Turn{}, false
	case len(by) == 0:
		return Turn{To: kb.Active}, true
	}
	for _, ref := range by {
		if s.Reason == SupersededBy(ref) {
			return Turn{}, false
		}
	}
	return Turn{kb.Stale, SupersededBy(by[0])}, true
}
