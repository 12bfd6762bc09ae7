package kb

import "time"

// Batch is a set of pages with a common external origin: a source, or the files of
// a directory.
type Batch struct {
	Row     int64
	ID      string // created on arrival; unique in a memory
	Space   int64
	Kind    string // ingest or import
	Source  string // origin, by its latest name
	Plan    Hash   // of the plan for a source; zero without a plan
	Created time.Time
	Items   int
}
