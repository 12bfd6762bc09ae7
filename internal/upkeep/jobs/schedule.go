package jobs

import (
	"github.com/cairn-kb/cairn/internal/upkeep/runs"
)

import "time"

// schedule defines when a job is due.
type schedule struct {
	every time.Duration
	// careful is set for a job that prunes by age. Its first run is postponed once,
	// and so is a run after a long time without any jobs: then a clock that is
	// temporarily far ahead does no harm.
	careful bool
}

const (
	// early is the fraction of its interval by which a job may run early, so that a
	// timer with the same interval and some jitter does not miss it.
	early = 20
	// After a failure the delay is initially retryPart of the interval, at least
	// retryLeast. It doubles with each failure, up to the interval.
	retryPart  = 16
	retryLeast = time.Minute
	// trusted is how long after the last maintenance the clock is assumed to be
	// right.
	trusted = 7 * 24 * time.Hour
)

// Reasons why a job is due or not. The values are stable.
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

// decision is the result of checking a job.
type decision struct {
	due    bool
	putOff bool // recorded like a run
	reason string
	next   time.Time // when it is due; zero if it is due now
}

// decide reports whether a job is due. seen is when any job last ran. A time in the
// future was recorded before the clock was set back.
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

// retry returns the delay after a number of failures.
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
