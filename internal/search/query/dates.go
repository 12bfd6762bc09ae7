package query

import (
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Range is the half-open time span [From, To).
type Range struct{ From, To time.Time }

// ParseRange reads a date or a date phrase, in any letter case, relative to
// now and in its location. It understands
//
//	2026, 2026-03, 2026-03-01, 2026-W10, 2026-Q1, RFC 3339 (that second)
//	now, today, yesterday, tomorrow
//	monday (the last one, today included), last monday, next monday
//	march, march 2025, march 12 2025, 12 march, q1, q1 2025
//	this|last|next hour|day|week|month|quarter|year
//	2 weeks, 2w, last 2 weeks, past 2 weeks (that long until now)
//	3 days ago, a week ago (the day that long ago; of hours and less, the moment)
//	on|in|since before any of these
//
// Weeks begin on Monday. A month or a day without a year is the last one that
// has begun. A From in the future is possible (tomorrow). It reports false
// for anything else.
func ParseRange(text string, now time.Time) (Range, bool) {
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(strings.TrimSpace(text))); err == nil {
		return Range{t, t.Add(time.Second)}, true
	}
	words := strings.Fields(strings.ReplaceAll(strings.ToLower(text), ",", " "))
	if len(words) > 1 && (words[0] == "on" || words[0] == "in" || words[0] == "since") {
		words = words[1:]
	}
	for _, read := range []func([]string, time.Time) (Range, bool){named, calendar, relative, span, monthAndDay} {
		if r, ok := read(words, now); ok {
			// Times outside of these years have no text form, such as 9999 years ago.
			return r, r.From.Year() >= 0 && r.From.Year() <= 9999
		}
	}
	return Range{}, false
}

// named parses the name of a day.
func named(words []string, now time.Time) (Range, bool) {
	if len(words) == 2 && (words[0] == "last" || words[0] == "next" || words[0] == "this") {
		return weekday(words[0], words[1], now)
	}
	if len(words) != 1 {
		return Range{}, false
	}
	switch words[0] {
	case "now":
		return Range{now, now.Add(time.Second)}, true
	case "today":
		return day(now, 0), true
	case "yesterday":
		return day(now, -1), true
	case "tomorrow":
		return day(now, 1), true
	}
	return weekday("this", words[0], now)
}

// weekday returns a day of the week: "this" means the last one that has begun, "last" the
// last one before today, "next" the first one after today.
func weekday(which, name string, now time.Time) (Range, bool) {
	d, ok := lookUp(name, weekdays)
	if !ok {
		return Range{}, false
	}
	back := (int(now.Weekday()) - d + 7) % 7
	switch {
	case which == "next":
		back -= 7
	case which == "last" && back == 0:
		back = 7
	}
	return day(now, -back), true
}

// calendar parses ISO 8601 years, months, days, weeks, and quarters.
func calendar(words []string, now time.Time) (Range, bool) {
	if len(words) != 1 {
		return Range{}, false
	}
	text := words[0]
	for _, f := range []struct {
		layout string
		unit   unit
	}{{"2006-01-02", days}, {"2006-01", months}, {"2006", years}} {
		if t, err := time.Parse(f.layout, text); err == nil {
			from := dayStart(t, now.Location())
			return Range{from, f.unit.after(from, 1)}, true
		}
	}
	yearText, part, ok := strings.Cut(text, "-")
	year, okYear := number(yearText, 4)
	if !ok || !okYear || len(part) < 2 {
		return Range{}, false
	}
	n, ok := number(part[1:], len(part)-1)
	switch {
	case ok && part[0] == 'q' && n >= 1 && n <= 4:
		return quarterOf(year, n, now.Location()), true
	case ok && part[0] == 'w' && n >= 1 && n <= 53:
		// January 4 is always in week 1.
		monday := weeks.after(weeks.start(kb.DayStart(year, 1, 4, now.Location())), n-1)
		if y, _ := monday.ISOWeek(); y != year {
			return Range{}, false
		}
		return Range{monday, weeks.after(monday, 1)}, true
	}
	return Range{}, false
}

// relative parses "last week" and "3 days ago".
func relative(words []string, now time.Time) (Range, bool) {
	if len(words) == 2 {
		shift, ok := map[string]int{"this": 0, "last": -1, "previous": -1, "next": 1}[words[0]]
		u, okUnit := lookUp(words[1], units)
		if !ok || !okUnit {
			return Range{}, false
		}
		from := unit(u).after(unit(u).start(now), shift)
		return Range{from, unit(u).after(from, 1)}, true
	}
	if len(words) < 2 || words[len(words)-1] != "ago" {
		return Range{}, false
	}
	n, u, ok := amount(words[:len(words)-1])
	if !ok {
		return Range{}, false
	}
	t := u.add(now, -n)
	if u <= hours {
		return Range{t, t.Add(time.Second)}, true
	}
	return day(t, 0), true
}

// span parses "2 weeks": a time of that length until now.
func span(words []string, now time.Time) (Range, bool) {
	if len(words) > 1 && (words[0] == "last" || words[0] == "past") {
		words = words[1:]
		if len(words) == 1 {
			words = []string{"1", words[0]}
		}
	}
	n, u, ok := amount(words)
	if !ok {
		return Range{}, false
	}
	return Range{u.add(now, -n), now}, true
}

// amount parses "2 weeks", "two weeks", "a week" and "2w".
func amount(words []string) (int, unit, bool) {
	var count, name string
	switch len(words) {
	case 1:
		digits := len(words[0]) - len(strings.TrimLeft(words[0], "0123456789"))
		count, name = words[0][:digits], words[0][digits:]
	case 2:
		count, name = words[0], words[1]
	default:
		return 0, 0, false
	}
	u, ok := lookUp(name, units)
	if n, isWord := lookUp(count, numbers); isWord {
		return n, unit(u), ok
	}
	n, isNumber := number(count, 4)
	return n, unit(u), ok && isNumber
}

// monthAndDay parses "march", "march 2025", "12 march 2025", "march 12", and quarters in the
// same form.
func monthAndDay(words []string, now time.Time) (Range, bool) {
	month, quarter, dayOf, year := 0, 0, 0, 0
	for _, w := range words {
		if m, ok := lookUp(w, monthNames); ok && month+quarter == 0 {
			month = m
			continue
		}
		if len(w) == 2 && w[0] == 'q' && w[1] >= '1' && w[1] <= '4' && month+quarter == 0 {
			quarter = int(w[1] - '0')
			continue
		}
		for _, suffix := range []string{"st", "nd", "rd", "th"} {
			w = strings.TrimSuffix(w, suffix)
		}
		n, ok := number(w, 4)
		switch {
		case ok && len(w) == 4 && year == 0:
			year = n
		case ok && len(w) <= 2 && dayOf == 0 && n >= 1:
			dayOf = n
		default:
			return Range{}, false
		}
	}
	if month+quarter == 0 || quarter > 0 && dayOf > 0 {
		return Range{}, false
	}
	at := func(year int) Range {
		if quarter > 0 {
			return quarterOf(year, quarter, now.Location())
		}
		from := kb.DayStart(year, time.Month(month), max(dayOf, 1), now.Location())
		if dayOf > 0 {
			return Range{from, days.after(from, 1)}
		}
		return Range{from, months.after(from, 1)}
	}
	if year > 0 {
		r := at(year)
		return r, dayOf == 0 || r.From.Day() == dayOf
	}
	// Eight years always include a February 29, also around 2100.
	for y := now.Year(); y > now.Year()-9; y-- {
		if r := at(y); !r.From.After(now) && (dayOf == 0 || r.From.Day() == dayOf) {
			return r, true
		}
	}
	return Range{}, false
}

// unit is a unit of time, ascending.
type unit int

const (
	minutes unit = iota
	hours
	days
	weeks
	months
	quarters
	years
)

// add returns t moved by n units. A day that the resulting month does not have becomes its
// last day.
func (u unit) add(t time.Time, n int) time.Time {
	switch u {
	case minutes:
		return t.Add(time.Duration(n) * time.Minute)
	case hours:
		return t.Add(time.Duration(n) * time.Hour)
	case days:
		return t.AddDate(0, 0, n)
	case weeks:
		return t.AddDate(0, 0, 7*n)
	case quarters:
		return months.add(t, 3*n)
	case years:
		return months.add(t, 12*n)
	}
	moved := t.AddDate(0, n, 0)
	if moved.Day() != t.Day() {
		moved = moved.AddDate(0, 0, -moved.Day())
	}
	return moved
}

// start returns the start of the unit that contains t.
func (u unit) start(t time.Time) time.Time {
	year, month, dayOf := t.Date()
	switch u {
	case minutes:
		return t.Truncate(time.Minute)
	case hours:
		// Not time.Date, which cannot distinguish the two hours when a clock is
		// set back.
		return t.Add(-time.Duration(t.Minute())*time.Minute -
			time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
	case weeks:
		dayOf -= (int(t.Weekday()) + 6) % 7
	case months:
		dayOf = 1
	case quarters:
		month, dayOf = (month-1)/3*3+1, 1
	case years:
		month, dayOf = 1, 1
	}
	return kb.DayStart(year, month, dayOf, t.Location())
}

// after returns the start of the unit n units after the one that starts at start.
func (u unit) after(start time.Time, n int) time.Time {
	if u <= hours {
		return u.add(start, n)
	}
	year, month, dayOf := start.Date()
	// Calendar arithmetic, since the clock may skip the start of a day.
	return dayStart(u.add(time.Date(year, month, dayOf, 0, 0, 0, 0, time.UTC), n), start.Location())
}

// dayStart returns the start of the day of t in another location.
func dayStart(t time.Time, in *time.Location) time.Time {
	year, month, dayOf := t.Date()
	return kb.DayStart(year, month, dayOf, in)
}

// day returns the day n days after that of t.
func day(t time.Time, n int) Range {
	from := days.after(days.start(t), n)
	return Range{from, days.after(from, 1)}
}

func quarterOf(year, quarter int, in *time.Location) Range {
	from := kb.DayStart(year, time.Month(3*quarter-2), 1, in)
	return Range{from, quarters.after(from, 1)}
}

// number parses a number of 1 to width digits.
func number(text string, width int) (int, bool) {
	if text == "" || len(text) > width || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// The words of the grammar: the index of a line is its value.
var (
	weekdays   = []string{"sunday sun", "monday mon", "tuesday tue tues", "wednesday wed", "thursday thu thur thurs", "friday fri", "saturday sat"}
	monthNames = []string{"", "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sep sept", "october oct", "november nov", "december dec"}
	units      = []string{"minute minutes min mins", "hour hours hr hrs h", "day days d", "week weeks wk w", "month months mo", "quarter quarters", "year years yr y"}
	numbers    = []string{"", "a an one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
)

// lookUp returns the index of the line that contains name.
func lookUp(name string, lines []string) (int, bool) {
	for i, line := range lines {
		for w := range strings.FieldsSeq(line) {
			if w == name {
				return i, true
			}
		}
	}
	return 0, false
}
