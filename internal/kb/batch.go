package kb

import "time"

// Batch is a set of pages that came from outside together: from a source, or
// from the files of a directory.
type Batch struct {
	Row     int64
	ID      string // made when it came; no two batches of a memory share one
	Space   int64
	Kind    string // how it came: ingest or import
	Source  string // where from, as it was named last
	Plan    Hash   // of the plan for a source; zero without one
	Created time.Time
	Items   int
}
