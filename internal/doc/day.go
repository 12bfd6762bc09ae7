package doc

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// dayKeys are the properties that date a page, by priority. The update date
// counts only for a page without another date.
var dayKeys = []string{"date", "created", "created_at", "updated", "updated_at", "modified", "last_modified"}

// beforeName is the number of dayKeys that take precedence over the day in the file's name.
const beforeName = 3

// Day returns the day of a page as YYYY-MM-DD: its date, else its creation date, else the
// date in the file's name, else its update date. A month or a year is its first day. It is
// "" if neither the page nor its path has a date. The syntax may define the format of the
// paths of days.
func (n *Node) Day(file string, s Syntax) string {
	if day := n.dayIn(dayKeys[:beforeName]); day != "" {
		return day
	}
	name := strings.TrimSuffix(file, path.Ext(file))
	if day := formattedDay(s.DayNotes, name); day != "" {
		return day
	}
	if day := pathDay(name); day != "" {
		return day
	}
	return n.dayIn(dayKeys[beforeName:])
}

func (n *Node) dayIn(keys []string) string {
	for _, key := range keys {
		for _, p := range n.Metadata {
			if p.Opaque || len(p.Values) == 0 || !strings.EqualFold(p.Key, key) {
				continue
			}
			if day := dayOf(p.Values[0]); day != "" {
				return day
			}
		}
	}
	return ""
}

// dayOf returns the day of a date in metadata. For a time with a zone it is the day
// as written.
func dayOf(value string) string {
	value = strings.TrimSpace(value)
	value = strings.TrimSuffix(strings.TrimPrefix(value, "[["), "]]")
	t, ok := ParseDate(value)
	if !ok {
		return ""
	}
	if len(value) >= len(time.DateOnly) {
		if day, err := time.Parse(time.DateOnly, value[:len(time.DateOnly)]); err == nil {
			t = day
		}
	}
	return t.Format(time.DateOnly)
}

// nestedDay is the end of a path with a day spread over its directories, as in daily notes
// with a format such as YYYY/MM-DD dddd or YYYY/MM/DD; weekName is the name of a weekly
// note.
var (
	nestedDay = lazyregexp.New(`(?:^|[/ ])([0-9]{4})/(?:(?:[^/]*/)?([0-9]{2})-([0-9]{2})|([0-9]{2})(?:[ -][^/0-9]*)?/([0-9]{2}))(?:[ _,][^/]*)?$`)
	weekName  = lazyregexp.New(`^([0-9]{4})-?W([0-9]{2})$`)
)

// pathDay returns the day in a path without its extension: that of the file's name, else one
// spread over its directories. A week is its Monday.
func pathDay(file string) string {
	name := path.Base(file)
	if day := NameDay(name); day != "" {
		return day
	}
	if m := nestedDay().FindStringSubmatch(file); m != nil {
		return calendarDay(m[1] + m[2] + m[4] + m[3] + m[5])
	}
	m := weekName().FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	year, _ := strconv.Atoi(m[1])
	week, _ := strconv.Atoi(m[2])
	return weekDay(year, week, 1)
}

// weekDay returns the day of an ISO week, 1 for its Monday; "" for a week that does not
// exist in the year.
func weekDay(year, week, weekday int) string {
	first := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // January 4 is always in the first week
	day := first.AddDate(0, 0, 7*(week-1)-(int(first.Weekday())+6)%7+weekday-1)
	if y, w := day.ISOWeek(); y != year || w != week {
		return ""
	}
	return calendarDay(day.Format("20060102"))
}

// NameDay returns the first day in a file's name, as YYYY-MM-DD: 2026-11-22,
// 2026_11_22 or 2026.11.22 without adjacent digits, or 20261122 alone, before a
// time, or separate from other letters and digits. It is "" when there is none.
func NameDay(name string) string {
	for i := 0; i+8 <= len(name); i++ {
		if i > 0 && isDigit(name[i-1]) {
			continue
		}
		if day := separateDay(name[i:]); day != "" {
			return day
		}
		if i > 0 && isWordByte(name[i-1]) && name[i-1] != '_' {
			continue
		}
		if day := compactDay(name[i:]); day != "" {
			return day
		}
	}
	return ""
}

// IsDayName reports whether a file name is exactly a day, as NameDay reads it: that of a
// day's page.
func IsDayName(name string) bool {
	switch len(name) {
	case len("20060102"):
		return compactDay(name) != ""
	case len(time.DateOnly):
		return separateDay(name) != ""
	}
	return false
}

// separateDay parses a day with separators at the start of s.
func separateDay(s string) string {
	const length = len(time.DateOnly)
	if len(s) < length || strings.IndexByte("-_.", s[4]) < 0 || s[7] != s[4] || len(s) > length && isDigit(s[length]) {
		return ""
	}
	return calendarDay(s[:4] + s[5:7] + s[8:length])
}

// compactDay parses eight digits at the start of s. They may be followed by a
// time of four or six digits, an underscore or a character that is not part of
// a word.
func compactDay(s string) string {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n != 8 && n != 12 && n != 14 || n < len(s) && isWordByte(s[n]) && s[n] != '_' && s[n] != 'T' {
		return ""
	}
	return calendarDay(s[:8])
}

// calendarDay returns the day of eight digits if it is a valid date in a year that is
// plausible for notes.
func calendarDay(digits string) string {
	t, err := time.Parse("20060102", digits)
	if err != nil || t.Year() < 1900 || t.Year() > 2199 {
		return ""
	}
	return t.Format(time.DateOnly)
}
