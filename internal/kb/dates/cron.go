package dates

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Cron is a schedule from a cron line: minute, hour, day of the month (L is the
// last one), month and day of the week, each with lists, ranges and steps. When
// both kinds of days are restricted, either may match.
type Cron struct {
	minutes, hours, months, weekdays uint64 // bit sets of values
	days                             uint64
	last                             bool // the last day of the month
	anyDay, anyWeekday               bool
}

// nicknames maps names to cron lines.
var nicknames = map[string]string{
	"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
	"@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}

var (
	monthNames   = map[string]int{"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12}
	weekdayNames = map[string]int{"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
)

// ParseCron parses a cron line. Its errors explain the mistake.
func ParseCron(line string) (Cron, error) {
	line = strings.ToLower(strings.TrimSpace(line))
	if full, ok := nicknames[line]; ok {
		line = full
	}
	fields := strings.Fields(line)
	if len(fields) != 5 {
		return Cron{}, fmt.Errorf("%q has %d fields, not minute, hour, day, month and weekday", line, len(fields))
	}
	var (
		c   Cron
		err error
	)
	if fields[2], c.last = withoutLast(fields[2]); fields[2] != "" {
		if c.days, err = bits(fields[2], 1, 31, nil); err != nil {
			return Cron{}, fmt.Errorf("day of the month: %w", err)
		}
	}
	for _, f := range []struct {
		name     string
		text     string
		into     *uint64
		from, to int
		names    map[string]int
	}{
		{"minute", fields[0], &c.minutes, 0, 59, nil}, {"hour", fields[1], &c.hours, 0, 23, nil},
		{"month", fields[3], &c.months, 1, 12, monthNames}, {"weekday", fields[4], &c.weekdays, 0, 7, weekdayNames},
	} {
		if *f.into, err = bits(f.text, f.from, f.to, f.names); err != nil {
			return Cron{}, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	c.weekdays |= c.weekdays >> 7 & 1 // 7 is Sunday, too
	c.anyDay, c.anyWeekday = strings.HasPrefix(fields[2], "*") && !c.last, strings.HasPrefix(fields[4], "*")
	if _, ok := c.Next(time.UTC, At(time.UTC, 0, 0, 0)); !ok {
		return Cron{}, fmt.Errorf("%q names no day that there is", line)
	}
	return c, nil
}

// withoutLast removes L from a list of days.
func withoutLast(list string) (rest string, last bool) {
	var others []string
	for part := range strings.SplitSeq(list, ",") {
		if part == "l" {
			last = true
		} else {
			others = append(others, part)
		}
	}
	return strings.Join(others, ","), last
}

// bits parses a field.
func bits(list string, least, most int, names map[string]int) (out uint64, err error) {
	number := func(text string) (int, error) {
		if n, ok := names[text]; ok {
			return n, nil
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			return 0, fmt.Errorf("%q is not a number from %d to %d", text, least, most)
		}
		return n, nil
	}
	for part := range strings.SplitSeq(list, ",") {
		span, every, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			if step, err = strconv.Atoi(every); err != nil || step < 1 {
				return 0, fmt.Errorf("%q is not a step", every)
			}
		}
		from, to := least, most
		if span != "*" {
			low, high, ranged := strings.Cut(span, "-")
			if from, err = number(low); err != nil {
				return 0, err
			}
			if to = from; stepped {
				to = most
			}
			if ranged {
				if to, err = number(high); err != nil {
					return 0, err
				}
			}
			if to < from {
				return 0, fmt.Errorf("%q ends before it begins", span)
			}
		}
		for n := from; n <= to; n += min(step, most+1) { // a longer step is past all of them as well
			out |= 1 << n
		}
	}
	return out, nil
}

// Within removes the hours before from, and those starting at to; in a window over
// midnight, to is less than from.
func (c Cron) Within(from, to int) Cron {
	for h := range 24 {
		inside := from <= h && h < to
		if to <= from {
			inside = h >= from || h < to
		}
		if !inside {
			c.hours &^= 1 << h
		}
	}
	return c
}

// Never reports whether no hour remains.
func (c Cron) Never() bool { return c.hours == 0 }

// on reports whether the schedule has times on a date.
func (c Cron) on(d Date) bool {
	day := c.days>>d.Time().Day()&1 == 1 || c.last && d.lastOfMonth()
	weekday := c.weekdays>>d.Weekday()&1 == 1
	if c.months>>d.Time().Month()&1 == 0 {
		return false
	}
	if c.anyDay || c.anyWeekday {
		return day && weekday
	}
	return day || weekday
}

// farthest is the number of days to search: the 29th of February may be eight years
// away, and 40 years for a given weekday.
const farthest = 41 * 366

// Last returns the latest scheduled time at or before now, false when there is none
// within 40 years.
func (c Cron) Last(zone *time.Location, now time.Time) (time.Time, bool) {
	for d, n := On(now.In(zone)), 0; n < farthest && !c.Never(); d, n = d-1, n+1 {
		if !c.on(d) || !lived(zone, d) {
			continue
		}
		for m := 24*60 - 1; m >= 0; m-- {
			if c.hours>>(m/60)&1 == 0 || c.minutes>>(m%60)&1 == 0 {
				continue
			}
			if t := At(zone, d, m/60, m%60); !t.After(now) {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// Next returns the first scheduled time after now, false when there is none within
// 40 years.
func (c Cron) Next(zone *time.Location, now time.Time) (time.Time, bool) {
	for d, n := On(now.In(zone))-1, 0; n < farthest && !c.Never(); d, n = d+1, n+1 {
		if !c.on(d) || !lived(zone, d) {
			continue
		}
		for m := range 24 * 60 {
			if c.hours>>(m/60)&1 == 0 || c.minutes>>(m%60)&1 == 0 {
				continue
			}
			if t := At(zone, d, m/60, m%60); t.After(now) {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// Due reports whether a task that last ran at the given time is due, and since
// when. A task that missed several times is due once. A last time after now comes
// from a clock that was set back, and is ignored.
func (c Cron) Due(zone *time.Location, last, now time.Time) (since time.Time, due bool) {
	since, ok := c.Last(zone, now)
	return since, ok && (last.Before(since) || last.After(now))
}
