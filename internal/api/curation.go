package api

import (
	"fmt"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Curation lists the pages of a space that need attention, those not reviewed for
// longest first.
type Curation struct {
	List[CurationItem]
	CurationDue
	Kinds map[CurationKind]int `json:"kinds"` // number of items of each kind
	Notes []string             `json:"notes,omitempty"`
}

// CurationItem is a page, or a source that no page refers to, with the reasons for
// a review.
type CurationItem struct {
	Ref         string           `json:"ref,omitempty"` // of a page
	Title       string           `json:"title,omitempty"`
	Path        string           `json:"path"`
	Status      kb.Status        `json:"status,omitempty"`
	Bytes       int64            `json:"bytes"`
	UpdatedAt   string           `json:"updated,omitempty"`      // day
	LastCurated string           `json:"last_curated,omitempty"` // day; "" for never
	Reasons     []CurationReason `json:"reasons"`
}

// CurationReason is a reason for a review.
type CurationReason struct {
	Kind CurationKind `json:"kind"`
	With string       `json:"with,omitempty"` // ref of the other page
	Text string       `json:"text"`
}

// CurationKind is the kind of a reason for a review.
type CurationKind string

// Kinds, in the order of the report.
const (
	CurationDuplicate CurationKind = "duplicate"
	CurationContested CurationKind = "contested"
	CurationStale     CurationKind = "stale"
	CurationOrphan    CurationKind = "orphan"
	CurationBroad     CurationKind = "broad"
	CurationLarge     CurationKind = "large"
	CurationSource    CurationKind = "source"
	CurationUntouched CurationKind = "untouched"
)

// CurationKinds lists all kinds.
func CurationKinds() []CurationKind {
	return []CurationKind{
		CurationDuplicate, CurationContested, CurationStale, CurationOrphan, CurationBroad, CurationLarge, CurationSource, CurationUntouched,
	}
}

// CurationDue reports whether the pages of a space are due for a curation pass.
type CurationDue struct {
	Space   string `json:"space"`
	Due     bool   `json:"due"`
	Pages   int    `json:"pages"`
	Waiting int    `json:"waiting"`             // pages that are new or neglected since the last pass
	Last    string `json:"last_pass,omitempty"` // day; "" for never
}

// Summary returns the report as one line.
func (d CurationDue) Summary() string {
	out := Plural(d.Pages, "page") + ", none of them curated"
	if d.Last != "" {
		out = fmt.Sprintf("%s, %d new or left alone for long since the last pass, on %s", Plural(d.Pages, "page"), d.Waiting, d.Last)
	}
	if d.Due {
		return "due: " + out
	}
	return "not due: " + out
}

// CurationVerb is the kind of a person's decision on pages.
type CurationVerb string

// CurationDecision is a person's decision on pages.
type CurationDecision struct {
	Do     CurationVerb `json:"do"`
	Refs   []string     `json:"refs" jsonschema:"merge: page and the page it becomes a part of; split: page; supersede: page and the one that takes its place; stamp: pages that were looked at"`
	Reason string       `json:"reason,omitempty" jsonschema:"of supersede, in a line"`

	Section string `json:"section,omitempty" jsonschema:"of split: heading of what becomes a page"`
	Title   string `json:"title,omitempty" jsonschema:"of the new page"` // "" is the heading
	Summary string `json:"summary,omitempty" jsonschema:"of the new page"`

	// Pointers is a directory with files in which "ai-kb: Title (UUID)" is
	// repointed to the other page; "" for none.
	Pointers string `json:"-"`
	// Seen holds the versions of the pages, by ref, that the person's decision is
	// based on; nil for none.
	Seen map[string]int `json:"-"`
	WriteOptions
}
