package doc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// datePart is a part of a moment.js format, as used in Obsidian.
var datePart = lazyregexp.New(`\[[^\[\]]*\]|\\.|Mo|MM?M?M?|Do|DDDo|DD?D?D?|do|d{1,4}|wo|ww?|Wo|WW?|Qo?|YYYY|YY|Y|gggg|gg|GGGG|GG|e|E|a|A|hh?|HH?|kk?|mm?|ss?|S{1,9}|x|X|ZZ?`)

// FormatTime formats a time with a moment.js format, in English.
func FormatTime(format string, t time.Time) string {
	return datePart().ReplaceAllStringFunc(format, func(s string) string {
		switch s[0] {
		case '[':
			return s[1 : len(s)-1]
		case '\\':
			return s[1:]
		}
		return formatPart(s, t)
	})
}

// dateParts are the tokens with an equivalent in Go's time package.
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
		return Ordinal(n)
	case len(s) == 2:
		return fmt.Sprintf("%02d", n%100)
	}
	return strconv.Itoa(n)
}

// dateNumber returns the number of a token, in any format.
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

// weekOf returns the week of a time by US rules: it starts on Sunday, and the first week
// contains January 1.
func weekOf(t time.Time) (year, week int) {
	saturday := t.AddDate(0, 0, 6-int(t.Weekday())) // the week belongs to the year in which it ends
	return saturday.Year(), (saturday.YearDay()-1)/7 + 1
}

// Ordinal returns a number as an English ordinal, such as 21st.
func Ordinal(n int) string {
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

// javaPart is a part of a Java date format, as used in Logseq.
var javaPart = lazyregexp.New(`'[^']*'|y+|d+o?|E+|[^a-zA-Z']+|[a-zA-Z]`)

// FromJava converts a Java date format to one of moment.js.
func FromJava(format string) string {
	return javaPart().ReplaceAllStringFunc(format, func(s string) string {
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

// Literally returns a moment.js format that produces a text.
func Literally(text string) string {
	return datePart().ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '[' {
			return s
		}
		return "[" + s + "]"
	})
}

// readParts are the tokens from which a day is read, as patterns, and other tokens next to
// them. Names are English; numbers take precedence.
var readParts = map[string]struct{ part, pattern string }{
	"YYYY": {"year", `([0-9]{4})`}, "Y": {"year", `([0-9]{4})`}, "YY": {"short", `([0-9]{2})`},
	"MM": {"month", `([0-9]{2})`}, "M": {"month", `([0-9]{1,2})`}, "Mo": {"month", `([0-9]{1,2})[a-z]{2}`},
	"MMM": {"name", `([\p{L}\p{M}.]+)`}, "MMMM": {"name", `([\p{L}\p{M}.]+)`},
	"DD": {"day", `([0-9]{2})`}, "D": {"day", `([0-9]{1,2})`}, "Do": {"day", `([0-9]{1,2})[a-z.º]{1,2}`},
	"DDDD": {"yearday", `([0-9]{3})`}, "DDD": {"yearday", `([0-9]{1,3})`}, "DDDo": {"yearday", `([0-9]{1,3})[a-z]{2}`},
	"GGGG": {"isoyear", `([0-9]{4})`}, "WW": {"isoweek", `([0-9]{2})`}, "W": {"isoweek", `([0-9]{1,2})`}, "Wo": {"isoweek", `([0-9]{1,2})[a-z]{2}`},
	"E": {"weekday", `([1-7])`}, "Q": {"", `[1-4]`}, "Qo": {"", `[1-4][a-z]{2}`},
	"dd": {"", `[\p{L}\p{M}.]+`}, "ddd": {"", `[\p{L}\p{M}.]+`}, "dddd": {"", `[\p{L}\p{M}.-]+`},
}

// dayForm is a format as a pattern for the paths that it produces, with the part of a day
// for each group.
type dayForm struct {
	*regexp.Regexp
	parts []string
}

// dayForms caches the formats of spaces, of which there are few.
var dayForms sync.Map

func dayFormOf(format string) *dayForm {
	if known, ok := dayForms.Load(format); ok {
		return known.(*dayForm)
	}
	made, _ := dayForms.LoadOrStore(format, makeDayForm(format))
	return made.(*dayForm)
}

// makeDayForm compiles a format. A format without a valid pattern matches no path.
func makeDayForm(format string) *dayForm {
	var form dayForm
	var pattern strings.Builder
	pattern.WriteByte('^')
	at := 0
	for _, m := range datePart().FindAllStringIndex(format, -1) {
		pattern.WriteString(regexp.QuoteMeta(format[at:m[0]]))
		at = m[1]
		switch s := format[m[0]:m[1]]; {
		case s[0] == '[':
			pattern.WriteString(regexp.QuoteMeta(s[1 : len(s)-1]))
		case s[0] == '\\':
			pattern.WriteString(regexp.QuoteMeta(s[1:]))
		case readParts[s].pattern != "":
			pattern.WriteString(readParts[s].pattern)
			if part := readParts[s].part; part != "" {
				form.parts = append(form.parts, part)
			}
		default:
			pattern.WriteString(`[^/]+?`)
		}
	}
	form.Regexp, _ = regexp.Compile(pattern.String() + regexp.QuoteMeta(format[at:]) + "$")
	return &form
}

// formattedDay returns the day of a path written by FormatTime, as YYYY-MM-DD, "" for other
// paths.
func formattedDay(format, file string) string {
	if format == "" || file == "" {
		return ""
	}
	form := dayFormOf(format)
	if form.Regexp == nil {
		return ""
	}
	m := form.FindStringSubmatch(file)
	if m == nil {
		return ""
	}
	found := map[string]int{}
	for i, part := range form.parts {
		n, err := strconv.Atoi(m[i+1])
		if part == "name" {
			n = monthNamed(m[i+1])
		} else if was, ok := found[part]; err != nil || ok && was != n {
			return ""
		}
		found[part] = n
	}
	return dayOfParts(found)
}

// monthNamed returns the number of an English month name or of its first three letters; 0
// for other words.
func monthNamed(name string) int {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(name, m.String()) || strings.EqualFold(name, m.String()[:3]) {
			return int(m)
		}
	}
	return 0
}

// dayOfParts returns the day for the numbers in a path. A month is its first day, a week its
// Monday.
func dayOfParts(found map[string]int) string {
	year := found["year"]
	if short, ok := found["short"]; ok && year == 0 {
		year = 2000 + short
	}
	month := found["month"]
	if month == 0 {
		month = found["name"]
	}
	switch {
	case found["isoyear"] > 0 && found["isoweek"] > 0:
		return weekDay(found["isoyear"], found["isoweek"], max(1, found["weekday"]))
	case year > 0 && found["yearday"] > 0:
		t := time.Date(year, 1, found["yearday"], 0, 0, 0, 0, time.UTC)
		if t.Year() != year {
			return ""
		}
		return calendarDay(t.Format("20060102"))
	case year > 0 && month > 0:
		day, ok := found["day"]
		if !ok {
			day = 1
		}
		return calendarDay(fmt.Sprintf("%04d%02d%02d", year, month, day))
	}
	return ""
}
