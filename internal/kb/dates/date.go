package dates

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // for machines without time zone data
)

// Date is a calendar date, stored as days since 1970-01-01.
type Date int

const daySeconds = 24 * 60 * 60

// On returns the date at a time, in the zone of the time.
func On(t time.Time) Date {
	y, m, d := t.Date()
	return Date(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / daySeconds)
}

// ParseDate reads a date such as 2026-03-01, which may be followed by a time.
func ParseDate(text string) (Date, bool) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	if len(text) > len(time.DateOnly) && strings.ContainsRune("T ", rune(text[len(time.DateOnly)])) {
		text = text[:len(time.DateOnly)]
	}
	return DateOf(text)
}

// DateOf reads exactly YYYY-MM-DD. It is fast, since it is called for every page.
func DateOf(text string) (Date, bool) {
	if len(text) != len(time.DateOnly) || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	y, m, d := digits(text[:4]), digits(text[5:7]), digits(text[8:])
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return On(t), y >= 0 && int(t.Month()) == m && t.Day() == d
}

// digits parses a decimal number, and returns -1 for other text.
func digits(text string) (n int) {
	for _, d := range []byte(text) {
		if d < '0' || d > '9' {
			return -1
		}
		n = 10*n + int(d-'0')
	}
	return n
}

// Time returns the beginning of the day in UTC.
func (d Date) Time() time.Time { return time.Unix(int64(d)*daySeconds, 0).UTC() }

// String returns the date as 2026-03-01.
func (d Date) String() string { return d.Time().Format(time.DateOnly) }

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.Time().Weekday() }

// Week returns the ISO week as 2026-W09.
func (d Date) Week() string {
	year, week := d.Time().ISOWeek()
	return fmt.Sprintf("%04d-W%02d", year, week)
}

// Month returns the month as 2026-03.
func (d Date) Month() string { return d.Time().Format("2006-01") }

// lastOfMonth reports whether the next date is in another month.
func (d Date) lastOfMonth() bool { return (d + 1).Time().Day() == 1 }

// Period is a calendar period.
type Period string

// Periods. Weeks begin on Monday.
const (
	ADay   Period = "day"
	AWeek  Period = "week"
	AMonth Period = "month"
)

// First returns the first date of the period that a date is in.
func (p Period) First(d Date) Date {
	switch p {
	case AWeek:
		return d - Date((int(d.Weekday())+6)%7)
	case AMonth:
		return d - Date(d.Time().Day()-1)
	}
	return d
}

// At returns the first moment at which clocks in a zone show a time of a date, or
// skip it because they are set forward.
func At(zone *time.Location, d Date, hour, minute int) time.Time {
	wall := int64(d)*daySeconds + int64(hour)*3600 + int64(minute)*60
	t := time.Unix(wall-26*3600, 0).In(zone) // before the clocks of any zone show it
	for {
		_, offset := t.Zone()
		at := time.Unix(wall-int64(offset), 0)
		if at.Before(t) {
			at = t
		}
		_, end := t.ZoneBounds()
		if end.IsZero() || at.Before(end) {
			return at.In(zone)
		}
		t = end
	}
}

// lived reports whether a date existed in a zone.
func lived(zone *time.Location, d Date) bool { return On(At(zone, d, 0, 0)) == d }

// Days defines the days of a person: they begin at an hour in a zone.
type Days struct {
	Zone *time.Location
	Hour int // 0 to 23
}

// Of returns the day at a time. Before the hour at which days begin it is the
// previous date. It never decreases as time passes.
func (d Days) Of(now time.Time) Date {
	day := On(now.In(d.Zone)) + 1
	for !lived(d.Zone, day) || d.Begin(day).After(now) {
		day--
	}
	return day
}

// Begin returns when a day begins.
func (d Days) Begin(day Date) time.Time { return At(d.Zone, day, d.Hour, 0) }

// Next returns when the first day after a time begins.
func (d Days) Next(now time.Time) time.Time {
	for day := d.Of(now) + 1; ; day++ {
		if begin := d.Begin(day); lived(d.Zone, day) && begin.After(now) {
			return begin
		}
	}
}

// Zone returns a time zone by its IANA name, such as Europe/Berlin, and false
// for an unknown name.
func Zone(name string) (*time.Location, bool) {
	if name == "" || name == "Local" || strings.TrimSpace(name) != name {
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	return zone, err == nil
}
