package kb

import "time"

// Dismissal says that a contradiction is none that matters, and why.
type Dismissal struct {
	Space int64
	ID    string // of the contradiction
	Note  string
	Actor Actor
	Time  time.Time
}
