package kb

import "time"

// Dismissal records that a contradiction does not matter, and why.
type Dismissal struct {
	Space int64
	ID    string // of the contradiction
	Note  string
	Actor Actor
	Time  time.Time
}
