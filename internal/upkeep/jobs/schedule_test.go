package jobs

import (
	"github.com/cairn-kb/cairn/internal/upkeep/runs"
	"testing"
	"time"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	daily, careful := schedule{every: day}, schedule{every: day, careful: true}
	for _, c := range []struct {
		name   string
		s      schedule
		last   runs.Run
		seen   time.Time // the zero time stands for that of last
		reason string
		wait   time.Duration // until it is due; 0 when it is
		putOff bool
	}{
		{name: "first run", s: daily, reason: reasonNever},
		{name: "first run, seen by others", s: daily, seen: ago(time.Hour), reason: reasonNever},
		{name: "just done", s: daily, last: runs.Run{At: now}, reason: reasonNotYet, wait: day - day/early},
		{name: "done this morning", s: daily, last: runs.Run{At: ago(4 * time.Hour)}, reason: reasonNotYet, wait: day - day/early - 4*time.Hour},
		{name: "a timer that is a minute early", s: daily, last: runs.Run{At: ago(day - time.Minute)}, reason: reasonTime},
		{name: "done yesterday", s: daily, last: runs.Run{At: ago(day)}, reason: reasonTime},
		{name: "done last year", s: daily, last: runs.Run{At: ago(year)}, reason: reasonTime},

		{name: "the clock jumped back a second", s: daily, last: runs.Run{At: ago(-time.Second)}, reason: reasonClock},
		{name: "the clock jumped back for years", s: daily, last: runs.Run{At: ago(-70 * year)}, reason: reasonClock},
		{name: "the clock jumped far forward", s: daily, last: runs.Run{At: ago(70 * year)}, reason: reasonTime},

		{name: "failed just now", s: daily, last: runs.Run{At: now, Failed: 1}, reason: reasonUnwell, wait: day / retryPart},
		{name: "failed a while ago", s: daily, last: runs.Run{At: ago(day / retryPart), Failed: 1}, reason: reasonFailed},
		{name: "failed again", s: daily, last: runs.Run{At: ago(day / retryPart), Failed: 2}, reason: reasonUnwell, wait: day / retryPart},
		{name: "fails always", s: daily, last: runs.Run{At: now, Failed: 1000}, reason: reasonUnwell, wait: day},
		{name: "failed before the clock jumped back", s: daily, last: runs.Run{At: ago(-year), Failed: 3}, reason: reasonClock},
		{name: "failed often, every minute", s: schedule{every: time.Minute}, last: runs.Run{At: now, Failed: 9}, reason: reasonUnwell, wait: time.Minute},
		{name: "failed once, every ten minutes", s: schedule{every: 10 * time.Minute}, last: runs.Run{At: now, Failed: 1}, reason: reasonUnwell, wait: time.Minute},

		{name: "careful, first run", s: careful, reason: reasonUnproved, wait: day - day/early, putOff: true},
		{name: "careful, put off", s: careful, last: runs.Run{At: ago(time.Hour), PutOff: true}, reason: reasonNotYet, wait: day - day/early - time.Hour},
		{name: "careful, put off a day ago", s: careful, last: runs.Run{At: ago(day), PutOff: true}, reason: reasonTime},
		{name: "careful, put off long ago", s: careful, last: runs.Run{At: ago(year), PutOff: true}, reason: reasonTime},
		{name: "careful, done yesterday", s: careful, last: runs.Run{At: ago(day)}, reason: reasonTime},
		{name: "careful, the clock jumped far forward", s: careful, last: runs.Run{At: ago(70 * year)}, reason: reasonUnproved, wait: day - day/early, putOff: true},
		{name: "careful, done long ago, others were not", s: careful, last: runs.Run{At: ago(year)}, seen: ago(day), reason: reasonTime},
		{name: "careful, the clock jumped back", s: careful, last: runs.Run{At: ago(-year)}, reason: reasonClock},
		{name: "careful, failed yesterday", s: careful, last: runs.Run{At: ago(day), Failed: 1}, reason: reasonFailed},
	} {
		if c.seen.IsZero() {
			c.seen = c.last.At
		}
		got := c.s.decide(c.last, c.seen, now)
		want := decision{due: c.wait == 0, putOff: c.putOff, reason: c.reason}
		if c.wait > 0 {
			want.next = now.Add(c.wait)
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

// However often a job failed, it is tried again, and never more often than once
// a minute.
func TestRetryIsWithinBounds(t *testing.T) {
	t.Parallel()
	for _, j := range all {
		before := time.Duration(0)
		for failed := 1; failed < 100; failed++ {
			wait := j.retry(failed)
			if wait < before || wait < min(retryLeast, j.every) || wait > j.every {
				t.Errorf("%s waits %s after failure %d, and %s before", j.name, wait, failed, before)
			}
			before = wait
		}
	}
}
