package policy

import (
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Retention is how long the texts of old versions, and dated pages and
// sections, are kept. The zero value keeps them forever.
type Retention struct {
	// SnapshotDays is the number of days for which every version of a page is
	// kept; 0 is unlimited. The other fields select older versions, each
	// counted back from now: the state at the end of each day, week or month.
	SnapshotDays    int `toml:"snapshot_days,omitempty"`
	SnapshotDaily   int `toml:"snapshot_daily,omitempty"`   // days
	SnapshotWeekly  int `toml:"snapshot_weekly,omitempty"`  // weeks
	SnapshotMonthly int `toml:"snapshot_monthly,omitempty"` // months
	SnapshotMin     int `toml:"snapshot_min,omitempty"`     // minimum number of texts kept for each page, regardless of age; at least 1

	Pages    []Expiry       `toml:"page,omitempty"`    // expiry of pages
	Sections []SectionLimit `toml:"section,omitempty"` // number of sections kept on pages
}

// Snapshot is the data of a version that retention needs.
type Snapshot struct {
	Time time.Time
	Gone bool // the page was deleted: this version has no text
}

// Keep reports for each version of one page, oldest first, whether its text is
// kept. A version is the state of the page until the next one, so it is kept when
// that time overlaps the last SnapshotDays, or contains the end of a kept day, week
// or month. So the state at such an end is known for all pages, even those
// unchanged for a long time. An undo of any change within SnapshotDays finds the
// state before it. The newest text is always kept, so that a deleted page can be
// restored.
//
// A version that is pruned at one time would also be pruned at any later time.
// Days, and weeks, which begin on Monday, are in now's time zone.
func (r Retention) Keep(history []Snapshot, now time.Time) []bool {
	keep := make([]bool, len(history))
	ends := []ends{
		{begin: startOfDay, oldest: startOfDay(now).AddDate(0, 0, 1-r.SnapshotDaily)},
		{begin: startOfWeek, oldest: startOfWeek(now).AddDate(0, 0, 7*(1-r.SnapshotWeekly))},
		{begin: startOfMonth, oldest: startOfMonth(now).AddDate(0, 1-r.SnapshotMonthly, 0)},
	}
	every := now.AddDate(0, 0, -r.SnapshotDays)
	newest := max(1, r.SnapshotMin)
	until := now
	for i := len(history) - 1; i >= 0; i-- {
		from := history[i].Time.In(now.Location())
		if until.Before(from) {
			until = from // the clock was set back
		}
		keep[i] = r.SnapshotDays == 0 || !until.Before(every)
		for _, e := range ends {
			keep[i] = keep[i] || e.within(from, until)
		}
		if !history[i].Gone && newest > 0 {
			keep[i] = true
			newest--
		}
		until = from
	}
	return keep
}

// ends iterates over the ends of days, weeks or months, from the oldest one kept.
// The end of one is the beginning of the next.
type ends struct {
	begin  func(time.Time) time.Time // of the day, week or month at a time
	oldest time.Time
}

// within reports whether one of the ends is after from and at or before until:
// a version that existed from the one time until the other was current at that
// end. A version from the very beginning of a day was not.
func (e ends) within(from, until time.Time) bool {
	last := e.begin(until)
	return from.Before(last) && !last.Before(e.oldest)
}

func startOfDay(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func startOfWeek(t time.Time) time.Time {
	sinceMonday := (int(t.Weekday()) + 6) % 7
	return startOfDay(t).AddDate(0, 0, -sinceMonday)
}

func startOfMonth(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, t.Location())
}

func (r Retention) validate() error {
	for _, k := range []struct {
		name string
		n    int
	}{
		{"snapshot_days", r.SnapshotDays}, {"snapshot_daily", r.SnapshotDaily}, {"snapshot_weekly", r.SnapshotWeekly},
		{"snapshot_monthly", r.SnapshotMonthly}, {"snapshot_min", r.SnapshotMin},
	} {
		if k.n < 0 || k.n > maxRetention {
			return kb.Errorf(kb.Invalid, "retention.%s is %d, which is not between 0 and %d", k.name, k.n, maxRetention)
		}
		if k.n > 0 && r.SnapshotDays == 0 {
			return kb.Errorf(kb.Invalid, "retention.%s has no effect while snapshot_days is 0, which keeps everything", k.name).
				WithHint("Set retention.snapshot_days, or take %s out.", k.name)
		}
	}
	return r.validateExpiry()
}

// maxRetention is larger than any sensible number, in any unit, and small enough
// for date arithmetic: months for eight thousand years.
const maxRetention = 100_000
