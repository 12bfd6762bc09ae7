package api

import (
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// DueWork is what waits to be done in a space.
type DueWork struct {
	Routines []string `json:"routines,omitempty"` // names of those that are due
	Records  []string `json:"records,omitempty"`  // paths of pages that are to be written of days that are over
	Inbox    int      `json:"inbox,omitempty"`    // pages that nobody has sorted
}

// Brief is what a space knows. Its fields are named as kt names them.
type Brief struct {
	Namespace   string          `json:"namespace"` // the space, "" for several
	LoadedAt    time.Time       `json:"loaded_at"`
	ActiveNodes []BriefNode     `json:"active_nodes"`
	Conflicts   []BriefConflict `json:"conflicts"`
	StaleAlerts []BriefAlert    `json:"stale_alerts"`
}

// Timeless is the brief without the time at which it was made.
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

// BriefConflict is two active pages of which one contradicts the other.
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
	StaleSince string `json:"stale_since"` // day, "" where the page does not say
	Reason     string `json:"reason"`
}

// Empty reports whether there is nothing to tell.
func (b Brief) Empty() bool { return len(b.ActiveNodes)+len(b.Conflicts)+len(b.StaleAlerts) == 0 }

// Injected is the text that a session or a flow begins with.
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

// InjectedPart is a page in it.
type InjectedPart struct {
	Path  string `json:"path"`
	As    string `json:"as"`
	Bytes int    `json:"bytes"` // of the document
}

// BriefPage is a page with where it stands.
type BriefPage struct {
	Page
	Text string `json:"text"` // the truth as it is written

	StaleSince  string `json:"stale_since,omitempty"` // day
	StaleReason string `json:"stale_reason,omitempty"`
	Reviewed    string `json:"reviewed,omitempty"` // day on which somebody last said that it holds
	Source      string `json:"source,omitempty"`   // "capture", "compaction"
	Session     string `json:"session,omitempty"`

	Conflicts     []Dispute   `json:"conflicts"`                // with pages that hold as it does
	CompactedInto *Neighbour  `json:"compacted_into,omitempty"` // page that sums it up
	Members       []Neighbour `json:"members,omitempty"`        // pages that it sums up
	Links         *PageLinks  `json:"links,omitempty"`          // where they were asked for

	Warnings []Warning `json:"warnings,omitempty"` // about how it was found
}

// Neighbour is a page that is named with another.
type Neighbour struct {
	ID     string    `json:"id"` // short
	Ref    string    `json:"ref"`
	Title  string    `json:"title"`
	Status kb.Status `json:"status"`
}

// Dispute is a page that contradicts another one, or that it contradicts.
type Dispute struct {
	Neighbour
	Description string `json:"description,omitempty"`
}

// PageLinks are those of a page, both ways, and of all times.
type PageLinks struct {
	Out []Link `json:"out"`
	In  []Link `json:"in"`
}

// Prime is what an agent reads at the start of a session.
type Prime struct {
	Space  string `json:"space"`
	Text   string `json:"text"` // for the agent; "" when there is nothing to say
	Tokens int    `json:"tokens"`
	Budget int    `json:"budget_tokens"`
	Pages  int    `json:"pages"`
	Stale  int    `json:"stale"`
	Gaps   int    `json:"open_gaps"`

	// Contradictions that count. They are not counted in a large space
	// whose policy has rules for them.
	Disputes  int  `json:"contradictions,omitempty"`
	Uncounted bool `json:"contradictions_uncounted,omitempty"`

	Due *DueWork `json:"due,omitempty"` // what waits to be done, nil for nothing

	Pinned  []string   `json:"pinned"`  // refs of the pages whose text is in Text
	Changes int        `json:"changes"` // since then, by anybody
	Since   *time.Time `json:"since,omitempty"`

	// Waiting names the parts of the policy of the directory that nobody accepted.
	Waiting []string `json:"waiting,omitempty"`

	// Git is how the repository of a guarded space stands; nil for any other.
	Git *GitState `json:"git,omitempty"`
	// Curation is set where it is time to look through the pages.
	Curation *CurationDue `json:"curation,omitempty"`

	Mark PrimeMark `json:"-"` // for Primed
}

// PrimeMark remembers up to which change a caller has been told.
type PrimeMark struct {
	Key, Value string
}
