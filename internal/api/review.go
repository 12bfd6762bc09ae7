package api

import (
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// WorkSession is a sequence of writes of one actor with pauses of at most half an
// hour.
type WorkSession struct {
	Write    int64        `json:"write"` // the first
	Last     int64        `json:"last"`
	Actor    string       `json:"actor"`
	From     time.Time    `json:"from"`
	Until    time.Time    `json:"until"`
	Writes   int          `json:"writes"`
	Spaces   []string     `json:"spaces"`
	Projects []string     `json:"projects,omitempty"` // from the tags project/NAME of its pages
	Messages []string     `json:"messages,omitempty"` // messages of its writes
	Changed  int          `json:"changed,omitempty"`  // number of all its pages
	Pages    []PageChange `json:"pages"`              // one for each run of versions without versions of others in between
}

// PageChange is the change of a page in a session.
type PageChange struct {
	ID       kb.ID         `json:"id"`  // identifies the page even after it was moved
	Ref      string        `json:"ref"` // its ref after the change
	Title    string        `json:"title,omitempty"`
	Change   kb.ChangeKind `json:"change"`
	From     int           `json:"from_version"`       // 0: the page was new
	To       int           `json:"to_version"`         // after it
	Decision Decision      `json:"decision,omitempty"` // of the reviewer
	Hunks    []Hunk        `json:"hunks,omitempty"`
	Left     string        `json:"left,omitempty"` // reason why its hunks are missing
}

// Hunk is a part of a difference. Line is its first line in the new text, which
// identifies it.
type Hunk struct {
	Line int    `json:"hunk"`
	Diff string `json:"diff"`
}

// Decision is a person's decision on a change.
type Decision string

// Decisions.
const (
	Kept      Decision = "kept"
	TakenBack Decision = "taken back"
)

// WorkSessions lists the sessions since a person's mark, newest first.
type WorkSessions struct {
	List[WorkSession]
	Since   time.Time `json:"since"`   // the mark, or a week ago
	Through int64     `json:"through"` // number of the newest change: the mark after "seen"
	Decided int       `json:"decided"` // omitted sessions that were decided already
}

// Change is a write, or the writes of a session, with their differences.
type Change struct {
	WorkSession
	Op string `json:"op"`
}

// Review is the state of a person's review.
type Review struct {
	Seen      int64             `json:"seen"` // number of the newest reviewed change
	SeenAt    time.Time         `json:"seen_at,omitzero"`
	Decided   int               `json:"decided"` // changes since
	Dismissed map[string]string `json:"dismissed"`
}

// Blame lists the version of each line of a page.
type Blame struct {
	Ref     string        `json:"ref"`
	Version int           `json:"version"`
	Lines   []BlamedLines `json:"lines"`
}

// BlamedLines is a run of lines from one version.
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

// ActivityList counts changes by day and actor, newest day first.
type ActivityList struct {
	Items []ActivityDay `json:"items"`
	Since time.Time     `json:"since"`
	Total int           `json:"total"`
}

// Timeless is the list without its start time.
func (l ActivityList) Timeless() any {
	l.Since = time.Time{}
	return l
}
