package api

import (
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// DueWork is the pending work of a space.
type DueWork struct {
	Routines []string `json:"routines,omitempty"` // names of due routines
	Records  []string `json:"records,omitempty"`  // paths of missing records of past days
	Inbox    int      `json:"inbox,omitempty"`    // unsorted pages
}

// Brief summarises a space. Its fields have kt's names.
type Brief struct {
	Namespace   string          `json:"namespace"` // the space, "" for several
	LoadedAt    time.Time       `json:"loaded_at"`
	ActiveNodes []BriefNode     `json:"active_nodes"`
	Conflicts   []BriefConflict `json:"conflicts"`
	StaleAlerts []BriefAlert    `json:"stale_alerts"`
}

// Timeless is the brief without its creation time.
func (b Brief) Timeless() any {
	b.LoadedAt = time.Time{}
	return b
}

// BriefNode is an active page.
type BriefNode struct {
	ID        string `json:"id"` // short
	Ref       string `json:"ref"`
	Title     string `json:"title"`
	Summary   string `json:"summary"`
	UpdatedAt string `json:"updated_at"` // day
	LinksOut  int    `json:"links_out"`
}

// BriefConflict is a pair of active pages that contradict each other.
type BriefConflict struct {
	NodeA       string `json:"node_a"`
	NodeB       string `json:"node_b"`
	RefA        string `json:"ref_a"`
	RefB        string `json:"ref_b"`
	Description string `json:"description"`
}

// BriefAlert is a stale page.
type BriefAlert struct {
	ID         string `json:"id"`
	Ref        string `json:"ref"`
	Title      string `json:"title"`
	StaleSince string `json:"stale_since"` // day, "" if the page has none
	Reason     string `json:"reason"`
}

// Empty reports whether there is nothing to report.
func (b Brief) Empty() bool { return len(b.ActiveNodes)+len(b.Conflicts)+len(b.StaleAlerts) == 0 }

// Injected is the text injected at the start of a session or a flow.
type Injected struct {
	Space    string         `json:"space"`
	Flow     string         `json:"flow,omitempty"`
	Text     string         `json:"text"` // for the agent; "" when the policy has nothing for the flow
	Parts    []InjectedPart `json:"parts"`
	Warnings []string       `json:"warnings,omitempty"`
	Snapshot string         `json:"-"` // attribute of tags with the time at which pages were read
}

// Timeless is the answer without the time at which pages were read.
func (i Injected) Timeless() any {
	i.Text = strings.ReplaceAll(i.Text, i.Snapshot, "")
	return i
}

// InjectedPart is an injected page.
type InjectedPart struct {
	Path  string `json:"path"`
	As    string `json:"as"`
	Bytes int    `json:"bytes"` // of the document
}

// BriefPage is a page with its lifecycle state.
type BriefPage struct {
	Page
	Text string `json:"text"` // the truth, verbatim

	StaleSince  string `json:"stale_since,omitempty"` // day
	StaleReason string `json:"stale_reason,omitempty"`
	Reviewed    string `json:"reviewed,omitempty"` // day of the last review
	Source      string `json:"source,omitempty"`   // "capture", "compaction"
	Session     string `json:"session,omitempty"`

	Conflicts     []Dispute   `json:"conflicts"`                // with other current pages
	CompactedInto *Neighbour  `json:"compacted_into,omitempty"` // page that summarises it
	Members       []Neighbour `json:"members,omitempty"`        // pages that it summarises
	Links         *PageLinks  `json:"links,omitempty"`          // on request

	Warnings []Warning `json:"warnings,omitempty"` // about its resolution
}

// Neighbour is a page listed with another.
type Neighbour struct {
	ID     string    `json:"id"` // short
	Ref    string    `json:"ref"`
	Title  string    `json:"title"`
	Status kb.Status `json:"status"`
}

// Dispute is a page that contradicts another one, in either direction.
type Dispute struct {
	Neighbour
	Description string `json:"description,omitempty"`
}

// PageLinks holds the links from and to a page, of all times.
type PageLinks struct {
	Out []Link `json:"out"`
	In  []Link `json:"in"`
}

// Prime is the text for an agent at the start of a session.
type Prime struct {
	Space  string `json:"space"`
	Text   string `json:"text"` // for the agent; "" for none
	Tokens int    `json:"tokens"`
	Budget int    `json:"budget_tokens"`
	Pages  int    `json:"pages"`
	Stale  int    `json:"stale"`
	Gaps   int    `json:"open_gaps"`

	// Contradictions that count. They are not counted in a large space with rules
	// for them in its policy.
	Disputes  int  `json:"contradictions,omitempty"`
	Uncounted bool `json:"contradictions_uncounted,omitempty"`

	Due *DueWork `json:"due,omitempty"` // pending work, nil for none

	Pinned  []string   `json:"pinned"`  // refs of the pages with their text in Text
	Changes int        `json:"changes"` // since then, by any actor
	Since   *time.Time `json:"since,omitempty"`

	// Waiting lists the parts of the directory's policy that nobody accepted.
	Waiting []string `json:"waiting,omitempty"`

	// Git is the state of the repository of a guarded space; nil for any other.
	Git *GitState `json:"git,omitempty"`
	// Curation is set when a review of the pages is due.
	Curation *CurationDue `json:"curation,omitempty"`

	Mark PrimeMark `json:"-"` // for Primed
}

// PrimeMark records the last change reported to a caller.
type PrimeMark struct {
	Key, Value string
}
