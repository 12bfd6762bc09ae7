package api

import (
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// WorkSession is the writes of one actor with pauses of at most half an hour.
type WorkSession struct {
	Write    int64        `json:"write"` // the first
	Last     int64        `json:"last"`
	Actor    string       `json:"actor"`
	From     time.Time    `json:"from"`
	Until    time.Time    `json:"until"`
	Writes   int          `json:"writes"`
	Spaces   []string     `json:"spaces"`
	Projects []string     `json:"projects,omitempty"` // by the tags project/NAME of its pages
	Messages []string     `json:"messages,omitempty"` // reasons that were given
	Pages    []PageChange `json:"pages"`              // one for each run of versions without another's between
}

// PageChange is what a session did to a page.
type PageChange struct {
	ID       kb.ID         `json:"id"`  // which names the page also after it was moved
	Ref      string        `json:"ref"` // by its name after the change
	Title    string        `json:"title,omitempty"`
	Change   kb.ChangeKind `json:"change"`
	From     int           `json:"from_version"`       // 0: the page was new
	To       int           `json:"to_version"`         // after it
	Decision Decision      `json:"decision,omitempty"` // of the person who reviews
	Hunks    []Hunk        `json:"hunks,omitempty"`
	Left     string        `json:"left,omitempty"` // why its hunks are missing
}

// Hunk is a part of a difference. Line is where it begins in the new text, which names it.
type Hunk struct {
	Line int    `json:"hunk"`
	Diff string `json:"diff"`
}

// Decision is what a person decided about a change.
type Decision string

// The decisions.
const (
	Kept      Decision = "kept"
	TakenBack Decision = "taken back"
)

// WorkSessions are the sessions since a person's mark, the newest first.
type WorkSessions struct {
	List[WorkSession]
	Since   time.Time `json:"since"`   // the mark, or a week ago
	Through int64     `json:"through"` // number of the newest change: the mark after "seen"
	Decided int       `json:"decided"` // sessions that are left out, being decided
}

// Change is a write, or the writes of a session, with their differences.
type Change struct {
	WorkSession
	Op string `json:"op"`
}

// Review is what a person has decided.
type Review struct {
	Seen      int64             `json:"seen"` // number of the newest change that was seen
	SeenAt    time.Time         `json:"seen_at,omitzero"`
	Decided   int               `json:"decided"` // changes since
	Dismissed map[string]string `json:"dismissed"`
}

// Blame names the version that each line of a page is from.
type Blame struct {
	Ref     string        `json:"ref"`
	Version int           `json:"version"`
	Lines   []BlamedLines `json:"lines"`
}

// BlamedLines are lines next to each other of one version.
type BlamedLines struct {
	From    int       `json:"from"`
	To      int       `json:"to"`
	Version int       `json:"version"`
	Write   int64     `json:"write"`
	Actor   string    `json:"actor"`
	At      time.Time `json:"at"`
}

// ActivityDay is the number of changes of an actor on a day.
type ActivityDay struct {
	Day     string `json:"day"`
	Actor   string `json:"actor"`
	Changes int    `json:"changes"`
	Pages   int    `json:"pages"`
}

// ActivityList counts changes by day and actor, the newest day first.
type ActivityList struct {
	Items []ActivityDay `json:"items"`
	Since time.Time     `json:"since"`
	Total int           `json:"total"`
}

// Timeless is the list without the time since which it counts.
func (l ActivityList) Timeless() any {
	l.Since = time.Time{}
	return l
}
