package query

import (
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Instant parses a time, or returns the end of a date phrase or of a time
// without a zone: as of yesterday includes all of yesterday, and as of 10:00
// all of that minute.
func Instant(text string, now time.Time) (time.Time, error) {
	from, to, ok := period(text, now)
	if !ok {
		return time.Time{}, kb.Errorf(kb.Usage, "%q is not a time", text).
			WithHint("Write 2026-03-01, 2026-03-01 10:00, 2026-03-01T10:00:00Z, yesterday, or 3 days ago.")
	}
	if from.Equal(to) {
		return to, nil
	}
	return to.Add(-1), nil
}

// Since returns the start of the time for which Instant returns the end.
func Since(text string, now time.Time) (time.Time, error) {
	from, _, ok := period(text, now)
	if !ok {
		return time.Time{}, kb.Errorf(kb.Usage, "%q is not a time", text).
			WithHint("Write 2026-03-01, 2026-03-01 10:00, 2026-03-01T10:00:00Z, yesterday, last week, or 2 days.")
	}
	return from, nil
}

// clockTimes are the formats of times in history and in use, in the time zone of the
// machine, with the duration of each.
var clockTimes = []struct {
	layout string
	lasts  time.Duration
}{
	{"2006-01-02 15:04", time.Minute}, {"2006-01-02T15:04", time.Minute},
	{"2006-01-02 15:04:05", time.Second}, {"2006-01-02T15:04:05", time.Second},
}

// period returns the start and end of the time in the text; a time with a zone
// has no duration.
func period(text string, now time.Time) (from, to time.Time, ok bool) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, t, true
	}
	for _, c := range clockTimes {
		t, err := time.ParseInLocation(c.layout, text, now.Location())
		if err != nil {
			continue
		}
		if t.Nanosecond() != 0 { // the layout also accepts fractions
			return t, t, true
		}
		return t, t.Add(c.lasts), true
	}
	r, ok := ParseRange(text, now)
	return r.From, r.To, ok
}
