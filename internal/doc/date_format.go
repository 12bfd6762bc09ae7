package doc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// datePart is a part of a format of moment.js, in which Obsidian writes dates.
var datePart = regexp.MustCompile(`\[[^\[\]]*\]|\\.|Mo|MM?M?M?|Do|DDDo|DD?D?D?|do|d{1,4}|wo|ww?|Wo|WW?|Qo?|YYYY|YY|Y|gggg|gg|GGGG|GG|e|E|a|A|hh?|HH?|kk?|mm?|ss?|S{1,9}|x|X|ZZ?`)

// FormatTime formats a time with a moment.js format, in English.
func FormatTime(format string, t time.Time) string {
	return datePart.ReplaceAllStringFunc(format, func(s string) string {
		switch s[0] {
		case '[':
			return s[1 : len(s)-1]
		case '\\':
			return s[1:]
		}
		return formatPart(s, t)
	})
}

// dateParts are the tokens that Go's time package writes.
var dateParts = map[string]string{
	"YYYY": "2006", "Y": "2006", "YY": "06", "MM": "01", "M": "1", "MMM": "Jan", "MMMM": "January", "DD": "02", "D": "2",
	"DDDD": "002", "ddd": "Mon", "dddd": "Monday", "HH": "15", "hh": "03", "h": "3", "mm": "04", "m": "4", "ss": "05", "s": "5",
	"A": "PM", "a": "pm", "ZZ": "-0700", "Z": "-07:00",
}

func formatPart(s string, t time.Time) string {
	if layout, ok := dateParts[s]; ok {
		return t.Format(layout)
	}
	switch {
	case s == "X":
		return strconv.FormatInt(t.Unix(), 10)
	case s == "x":
		return strconv.FormatInt(t.UnixMilli(), 10)
	case s[0] == 'S':
		return fmt.Sprintf("%09d", t.Nanosecond())[:len(s)]
	case s == "dd":
		return t.Weekday().String()[:2]
	}
	token, ordered := strings.CutSuffix(s, "o")
	n := dateNumber(token, t)
	switch {
	case ordered:
		return ordinal(n)
	case len(s) == 2:
		return fmt.Sprintf("%02d", n%100)
	}
	return strconv.Itoa(n)
}

// dateNumber returns the number of a token, in any notation.
func dateNumber(token string, t time.Time) int {
	isoYear, isoWeek := t.ISOWeek()
	year, week := weekOf(t)
	switch token {
	case "M":
		return int(t.Month())
	case "Q":
		return (int(t.Month()) + 2) / 3
	case "D":
		return t.Day()
	case "DDD":
		return t.YearDay()
	case "d", "e":
		return int(t.Weekday())
	case "E":
		return (int(t.Weekday())+6)%7 + 1
	case "W", "WW":
		return isoWeek
	case "GG", "GGGG":
		return isoYear
	case "w", "ww":
		return week
	case "gg", "gggg":
		return year
	case "H":
		return t.Hour()
	}
	return (t.Hour()+23)%24 + 1 // k, kk
}

// weekOf returns the week of a time as it is counted in English: it begins on
// Sunday, and the first one holds the first of January.
func weekOf(t time.Time) (year, week int) {
	saturday := t.AddDate(0, 0, 6-int(t.Weekday())) // the week is of the year that it ends in
	return saturday.Year(), (saturday.YearDay()-1)/7 + 1
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// javaPart is a part of a format of Java's, in which Logseq writes dates.
var javaPart = regexp.MustCompile(`'[^']*'|y+|d+o?|E+|[^a-zA-Z']+|[a-zA-Z]`)

// FromJava returns a format of Java's as one of moment.js.
func FromJava(format string) string {
	return javaPart.ReplaceAllStringFunc(format, func(s string) string {
		switch s[0] {
		case '\'':
			return "[" + s[1:len(s)-1] + "]"
		case 'y':
			if len(s) == 2 {
				return "YY"
			}
			return "YYYY"
		case 'd':
			return strings.ToUpper(s[:1]) + strings.ReplaceAll(s[1:], "d", "D")
		case 'E':
			if len(s) > 3 {
				return "dddd"
			}
			return "ddd"
		}
		return s
	})
}
