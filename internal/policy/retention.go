package policy

import (
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Retention says how long the texts of old versions are kept, and pages and sections
// that are of a time. The zero value keeps them for ever.
type Retention struct {
	// SnapshotDays is for how many days every version of a page is kept; 0 is
	// for ever. What stays of older ones the others say, each counted back from
	// now: what pages were at the end of each day, week or month.
	SnapshotDays    int `toml:"snapshot_days,omitempty"`
	SnapshotDaily   int `toml:"snapshot_daily,omitempty"`   // days
	SnapshotWeekly  int `toml:"snapshot_weekly,omitempty"`  // weeks
	SnapshotMonthly int `toml:"snapshot_monthly,omitempty"` // months
	SnapshotMin     int `toml:"snapshot_min,omitempty"`     // this many texts of each page stay, whatever their age; at least 1

	Pages    []Expiry       `toml:"page,omitempty"`    // how long pages stay
	Sections []SectionLimit `toml:"section,omitempty"` // how many sections of pages stay
}

// Snapshot is a version of a page, as far as retention looks at it.
type Snapshot struct {
	Time time.Time
	Gone bool // the page was deleted: there is no text to keep
}

// Keep says of each version of one page, oldest first, whether its text is
// kept. A version is what the page was until the next one, so it is kept when
// that time reaches into the last SnapshotDays, or spans the end of a day, week
// or month that is kept: what a page was at such an end can be told for all
// pages, however long before they were changed. An undo of anything within
// SnapshotDays finds what was there before. The newest text is always kept, and
// with it a deleted page can be restored.
//
// What is not kept at a time is not kept at any later one. Days, and weeks,
// which begin on Monday, are those of now's time zone.
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

// ends are the ends of days, of weeks or of months from the oldest on that is
// kept. The end of one is the beginning of the next.
type ends struct {
	begin  func(time.Time) time.Time // of the day, week or month that a time is in
	oldest time.Time
}

// within reports whether one of the ends lies between from and until: what was
// there from the one time until the other was there at that end. What came at
// the very beginning of a day was not.
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

// maxRetention is larger than any number that anyone means, in any unit, and
// small enough to reckon with dates: months for eight thousand years.
const maxRetention = 100_000
