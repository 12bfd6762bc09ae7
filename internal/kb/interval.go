package kb

import "strings"

// Interval is the time for which something holds: from its first day up to and
// excluding its last one. Both are ISO dates of a year, a month or a day; a time of
// day is ignored. An empty From is an unknown start, an empty Until an open end.
//
// Two dates are compared at the coarser of their precisions: 2020 is neither before
// nor after 2020-05. So of two jobs, one until 2020 and one from 2020-05, neither
// certainly begins before the other ends.
type Interval struct{ From, Until string }

// String returns the interval in the syntax of documents, without the "@"; ""
// for the empty interval.
func (i Interval) String() string {
	if i == (Interval{}) {
		return ""
	}
	return i.From + ".." + i.Until
}

// CompareDates compares two dates at the coarser of their precisions.
func CompareDates(a, b string) int {
	n := min(len(a), len(b), len("2006-01-02"))
	return strings.Compare(a[:n], b[:n])
}

// InOrder reports whether the interval does not end before it starts.
func (i Interval) InOrder() bool {
	return i.From == "" || i.Until == "" || CompareDates(i.From, i.Until) <= 0
}

// Ended reports whether the interval is over on a day; for a month or a year, on
// its first day.
func (i Interval) Ended(date string) bool {
	return i.Until != "" && firstDay(i.Until) <= firstDay(date)
}

// Holds reports whether the interval holds on a day; for a month or a year, on one
// of its days. An unknown start counts as past.
func (i Interval) Holds(date string) bool {
	return (i.From == "" || CompareDates(i.From, date) <= 0) && !i.Ended(date) && !i.never()
}

// never reports whether the interval contains no day, for any reading of a date
// without month or day.
func (i Interval) never() bool {
	return i.From != "" && i.Until != "" && fill(i.From, "0000-01-01") >= fill(i.Until, "9999-12-31")
}

// Overlaps reports whether both intervals certainly share a day, for any
// reading of a date without month or day and for any unknown start.
func (i Interval) Overlaps(o Interval) bool {
	switch {
	case i.never() || o.never():
		return false
	case i.From != "" && o.From != "":
		return i.startsBefore(o.Until) && o.startsBefore(i.Until)
	case i.From != "":
		return o.endsIn(i)
	}
	return i.endsIn(o)
}

// startsBefore reports whether the interval has a known start before until.
func (i Interval) startsBefore(until string) bool {
	return until == "" || CompareDates(i.From, until) < 0
}

// endsIn reports whether the last day of the interval is one of o.
func (i Interval) endsIn(o Interval) bool {
	if o.From != "" && !o.startsBefore(i.Until) {
		return false
	}
	if i.Until == "" || o.Until == "" {
		return i.Until == o.Until || o.From != "" && o.Until == ""
	}
	c := CompareDates(i.Until, o.Until)
	sure := isDay(i.Until) && isDay(o.Until)
	if o.From == "" {
		return c == 0 && sure
	}
	return c < 0 || c == 0 && sure
}

// isDay reports whether a date has a day.
func isDay(date string) bool { return len(date) >= len("2006-01-02") }

// firstDay returns the first day of a date.
func firstDay(date string) string { return fill(date, "0000-01-01") }

// fill takes the missing month and day of a date from another date.
func fill(date, from string) string {
	n := min(len(date), len(from))
	return date[:n] + from[n:]
}
