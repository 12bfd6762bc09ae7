package jobs

import (
	"github.com/cairn-kb/cairn/internal/upkeep/runs"
)

import "time"

// schedule says how often a job is to be done.
type schedule struct {
	every time.Duration
	// careful is for a job that prunes by age. It is postponed once at first,
	// and whenever no job ran for long: so a clock that is far ahead for a while
	// does no harm.
	careful bool
}

const (
	// early is the part of its interval by which a job may be early, so that a
	// timer with the same interval, which fires a little unevenly, does not
	// find it a moment short.
	early = 20
	// The wait after a failure is retryPart of the interval at first, and at
	// least retryLeast. It doubles with each failure, up to the interval.
	retryPart  = 16
	retryLeast = time.Minute
	// trusted is for how long after somebody looked after the memory the clock
	// is believed to be right.
	trusted = 7 * 24 * time.Hour
)

// Why a job is due, or is not. The values are stable.
const (
	reasonNever    = "it never ran"
	reasonClock    = "the clock was set back"
	reasonTime     = "it is time"
	reasonFailed   = "it failed, and is retried"
	reasonAsked    = "it was asked for"
	reasonNotYet   = "it is not time yet"
	reasonUnwell   = "it failed, and waits to be retried"
	reasonUnproved = "postponed once: no job ran lately, so a wrong clock could prune too much"
)

// decision is what comes of a look at a job.
type decision struct {
	due    bool
	putOff bool // to be remembered, as if it had been done
	reason string
	next   time.Time // when it is due; zero when it is
}

// decide reports whether a job is due. Seen is when any job last ran. A time in
// the future is from before the clock was set back.
func (s schedule) decide(last runs.Run, seen, now time.Time) decision {
	wait, reason, unripe := s.every-s.every/early, reasonTime, reasonNotYet
	if last.Failed > 0 {
		wait, reason, unripe = s.retry(last.Failed), reasonFailed, reasonUnwell
	}
	switch {
	case last.At.IsZero():
		reason = reasonNever
	case last.At.After(now):
		reason = reasonClock
	case now.Before(last.At.Add(wait)):
		return decision{reason: unripe, next: last.At.Add(wait)}
	}
	if s.careful && !last.PutOff && (last.At.IsZero() || now.Sub(seen) > trusted) {
		return decision{putOff: true, reason: reasonUnproved, next: now.Add(wait)}
	}
	return decision{due: true, reason: reason}
}

// retry is how long to wait after so many failures.
func (s schedule) retry(failed int) time.Duration {
	wait := max(s.every/retryPart, retryLeast)
	for range failed - 1 {
		if wait >= s.every {
			break
		}
		wait *= 2
	}
	return min(wait, s.every)
}
