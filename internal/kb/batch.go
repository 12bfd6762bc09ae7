package kb

import "time"

// Batch is what came from outside in one go: a source, or the files of a directory.
type Batch struct {
	Row     int64
	ID      string // made when it came; no two batches of a memory share one
	Space   int64
	Kind    string // how it came: ingest or import
	Source  string // where from, as it was named last
	Plan    Hash   // of what was made of a source; zero for none
	Created time.Time
	Items   int
}
