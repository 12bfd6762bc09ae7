package dates

import (
	"regexp"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// places maps the placeholders of a name for the date, the week and the month.
var places = map[string]struct {
	form string
	of   func(Date) string
}{
	"{date}":  {`\d{4}-\d{2}-\d{2}`, Date.String},
	"{week}":  {`\d{4}-W\d{2}`, Date.Week},
	"{month}": {`\d{4}-\d{2}`, Date.Month},
}

var place = lazyregexp.New(`\{[a-z]*\}`)

// Name is a name with placeholders for a date: {date}, {week} and {month}.
type Name string

// Unknown returns the first unknown placeholder of the name, "" for none.
func (n Name) Unknown() string {
	for _, p := range place().FindAllString(string(n), -1) {
		if _, ok := places[p]; !ok {
			return p
		}
	}
	return ""
}

// Dated reports whether the name has a placeholder.
func (n Name) Dated() bool { return place().MatchString(string(n)) }

// Of returns the name for a date.
func (n Name) Of(d Date) string {
	return place().ReplaceAllStringFunc(string(n), func(p string) string {
		if known, ok := places[p]; ok {
			return known.of(d)
		}
		return p
	})
}

// Key returns the date part of a text that matches the name; keys sort like
// dates. It returns false when the text does not match.
func (n Name) Key(text string) (string, bool) {
	var form strings.Builder
	at := 0
	for _, p := range place().FindAllStringIndex(string(n), -1) {
		known := places[string(n[p[0]:p[1]])]
		form.WriteString(regexp.QuoteMeta(string(n[at:p[0]])) + "(" + known.form + ")")
		at = p[1]
	}
	form.WriteString(regexp.QuoteMeta(string(n[at:])))
	m := regexp.MustCompile(`^` + form.String() + `$`).FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", false
	}
	return strings.Join(m[1:], " "), true
}
