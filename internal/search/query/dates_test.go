package query

import (
	"testing"
	"time"
	_ "time/tzdata"
)

func TestParseRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, from, to string }{
		{"2026", "2026-01-01", "2027-01-01"},
		{"2026-03", "2026-03-01", "2026-04-01"},
		{"2026-03-01", "2026-03-01", "2026-03-02"},
		{"2024-02-29", "2024-02-29", "2024-03-01"},
		{"2026-W01", "2025-12-29", "2026-01-05"},
		{"2026-w47", "2026-11-16", "2026-11-23"},
		{"2026-Q4", "2026-10-01", "2027-01-01"},
		{"2026-03-01T10:00:00Z", "2026-03-01T10:00:00", "2026-03-01T10:00:01"},
		{"2026-03-01t10:00:00+02:00", "2026-03-01T08:00:00", "2026-03-01T08:00:01"},
		{"now", "2026-11-21T15:04:05", "2026-11-21T15:04:06"},
		{"Today", "2026-11-21", "2026-11-22"},
		{"yesterday", "2026-11-20", "2026-11-21"},
		{"tomorrow", "2026-11-22", "2026-11-23"},
		{"saturday", "2026-11-21", "2026-11-22"},
		{"last saturday", "2026-11-14", "2026-11-15"},
		{"next saturday", "2026-11-28", "2026-11-29"},
		{"Mon", "2026-11-16", "2026-11-17"},
		{"on monday", "2026-11-16", "2026-11-17"},
		{"next monday", "2026-11-23", "2026-11-24"},
		{"sunday", "2026-11-15", "2026-11-16"},
		{"this week", "2026-11-16", "2026-11-23"},
		{"last week", "2026-11-09", "2026-11-16"},
		{"last month", "2026-10-01", "2026-11-01"},
		{"this year", "2026-01-01", "2027-01-01"},
		{"last quarter", "2026-07-01", "2026-10-01"},
		{"next month", "2026-12-01", "2027-01-01"},
		{"this hour", "2026-11-21T15:00:00", "2026-11-21T16:00:00"},
		{"2 weeks", "2026-11-07T15:04:05", "2026-11-21T15:04:05"},
		{"last 2 weeks", "2026-11-07T15:04:05", "2026-11-21T15:04:05"},
		{"past month", "2026-10-21T15:04:05", "2026-11-21T15:04:05"},
		{"since 2 days", "2026-11-19T15:04:05", "2026-11-21T15:04:05"},
		{"24h", "2026-11-20T15:04:05", "2026-11-21T15:04:05"},
		{"3w", "2026-10-31T15:04:05", "2026-11-21T15:04:05"},
		{"two days", "2026-11-19T15:04:05", "2026-11-21T15:04:05"},
		{"3 days ago", "2026-11-18", "2026-11-19"},
		{"a week ago", "2026-11-14", "2026-11-15"},
		{"2 hours ago", "2026-11-21T13:04:05", "2026-11-21T13:04:06"},
		{"9 months ago", "2026-02-21", "2026-02-22"},
		{"march", "2026-03-01", "2026-04-01"},
		{"in March 2025", "2025-03-01", "2025-04-01"},
		{"december", "2025-12-01", "2026-01-01"},
		{"november", "2026-11-01", "2026-12-01"},
		{"march 12 2025", "2025-03-12", "2025-03-13"},
		{"12 march, 2025", "2025-03-12", "2025-03-13"},
		{"Mar 3rd", "2026-03-03", "2026-03-04"},
		{"22 november", "2025-11-22", "2025-11-23"},
		{"feb 29", "2024-02-29", "2024-03-01"},
		{"q1", "2026-01-01", "2026-04-01"},
		{"q3 2024", "2024-07-01", "2024-10-01"},
	} {
		r, ok := ParseRange(c.text, testNow)
		if !ok {
			t.Errorf("%q is not a date", c.text)
			continue
		}
		show := func(t time.Time) string {
			t = t.UTC()
			if t.Equal(days.start(t)) {
				return t.Format("2006-01-02")
			}
			return t.Format("2006-01-02T15:04:05")
		}
		if show(r.From) != c.from || show(r.To) != c.to {
			t.Errorf("%q is [%s, %s), want [%s, %s)", c.text, show(r.From), show(r.To), c.from, c.to)
		}
	}
}

func TestGarbageIsNoDate(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "foo", "2026-13", "2026-02-30", "20260301", "2026-W54", "2025-W53", "2026-Q5", "12", "99999 days", "days", "2",
		"last", "ago", "days ago", "last foo", "feb 30", "31 june 2025", "march april", "march 2025 2026", "q5", "q1 12", "2026 march 1 2",
		"on", "mon tue", "-3 days", "3 days from now", "2026-w", "2026-", "+1 day", "1e3 days", "٣ days", "may be", "9999y", "2027 years ago",
	} {
		if r, ok := ParseRange(text, testNow); ok {
			t.Errorf("%q is [%v, %v)", text, r.From, r.To)
		}
	}
}

func TestDatesFollowTheClockOfTheirPlace(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	// In 2026 clocks went back on 25 October, at 3:00 to 2:00.
	now := time.Date(2026, 10, 25, 22, 0, 0, 0, berlin)
	for text, hours := range map[string]float64{"today": 25, "yesterday": 24, "2026-03-29": 23, "24h": 24, "1 day": 25, "this hour": 1} {
		r, ok := ParseRange(text, now)
		if !ok || r.To.Sub(r.From).Hours() != hours {
			t.Errorf("%s: %v to %v is %v", text, r.From, r.To, r.To.Sub(r.From))
		}
	}
	second := time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC).In(berlin) // 2:30 for the second time
	if r, _ := ParseRange("this hour", second); second.Before(r.From) || !second.Before(r.To) {
		t.Errorf("this hour is [%v, %v)", r.From, r.To)
	}
}

// Where the clock skips midnight, the day begins an hour later, and is a day all the same.
func TestDaysWithoutMidnight(t *testing.T) {
	t.Parallel()
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		t.Fatal(err)
	}
	// In 2024 clocks went forward on 8 September, a Sunday, at 0:00 to 1:00.
	for _, now := range []time.Time{time.Date(2024, 9, 8, 12, 0, 0, 0, santiago), time.Date(2024, 9, 8, 1, 0, 0, 0, santiago)} {
		for text, want := range map[string]string{
			"today": "09-08 01:00 to 09-09 00:00", "yesterday": "09-07 00:00 to 09-08 01:00", "tomorrow": "09-09 00:00 to 09-10 00:00",
			"2024-09-08": "09-08 01:00 to 09-09 00:00", "september 7": "09-07 00:00 to 09-08 01:00", "8 september 2024": "09-08 01:00 to 09-09 00:00",
			"a day ago": "09-07 00:00 to 09-08 01:00", "sunday": "09-08 01:00 to 09-09 00:00", "this week": "09-02 00:00 to 09-09 00:00",
			"2024-W36": "09-02 00:00 to 09-09 00:00", "this month": "09-01 00:00 to 10-01 00:00",
		} {
			const layout = "01-02 15:04"
			r, ok := ParseRange(text, now)
			if got := r.From.Format(layout) + " to " + r.To.Format(layout); !ok || got != want {
				t.Errorf("%s at %v: %s, want %s", text, now, got, want)
			}
		}
	}
}

func TestMonthsAreClamped(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{"a month ago": "2026-02-28", "last month": "2026-02-01", "1 year ago": "2025-03-31"} {
		if r, _ := ParseRange(text, now); r.From.Format(time.DateOnly) != want {
			t.Errorf("%s is %v", text, r.From)
		}
	}
	if r, _ := ParseRange("a year ago", time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)); r.From.Format(time.DateOnly) != "2023-02-28" {
		t.Errorf("a year before the leap day is %v", r.From)
	}
}

func FuzzParseRange(f *testing.F) {
	for _, s := range []string{"last 2 weeks", "3 days ago", "march 12 2025", "2026-W53", "q1", "feb 29", "9999 years ago"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, ok := ParseRange(text, testNow)
		if ok && !r.From.Before(r.To) && text != "" && r.From != r.To {
			t.Errorf("%q is [%v, %v)", text, r.From, r.To)
		}
	})
}
