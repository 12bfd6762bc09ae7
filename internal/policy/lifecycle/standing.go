package lifecycle

import (
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Standing is the lifecycle metadata of a page.
type Standing struct {
	Status kb.Status
	Reason string // why it is stale, "" when not given
}

// Turn is the change of a page's status. A stale page with a new reason keeps the
// time since when it is stale.
type Turn struct {
	To     kb.Status
	Reason string // of a stale page
}

// The prefixes of reasons given by rules. A page that is stale for another
// reason was marked by somebody, who can also reactivate it.
const (
	superseded = "superseded by "
	aged       = "age ("
	unlinked   = "unlinked ("
)

// SupersededBy returns the reason of a page that was replaced by the page with the
// given ref.
func SupersededBy(ref string) string { return superseded + ref }

// IsSuperseded reports whether a reason comes from SupersededBy.
func IsSuperseded(reason string) bool { return strings.HasPrefix(reason, superseded) }

// ByRule reports whether a rule made the page stale.
func (s Standing) ByRule() bool {
	return s.Status == kb.Stale && (IsSuperseded(s.Reason) || strings.HasPrefix(s.Reason, aged) || strings.HasPrefix(s.Reason, unlinked))
}

// Superseded decides the effect of relations that replace a page: by are the
// refs of the pages with a current one. The page is stale while there is one;
// the end of the last one reverts that.
func (s Standing) Superseded(by []string) (turn Turn, turns bool) {
	switch {
	case len(by) > 0 && s.Status == kb.Active:
		return Turn{kb.Stale, SupersededBy(by[0])}, true
	case len(by) > 0 && s.ByRule() && !IsSuperseded(s.Reason): // which takes precedence over its age
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
