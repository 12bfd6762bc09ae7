package policy

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	calendar "github.com/cairn-kb/cairn/internal/kb/dates"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Mode is the effect of a violated rule on a write.
type Mode string

// Modes. The default is Strict.
const (
	Strict   Mode = "strict"   // it is refused
	Advisory Mode = "advisory" // it is reported
)

func (m Mode) isKnown() bool { return m == "" || m == Strict || m == Advisory }

// Ownership defines a metadata key for the owner of a page.
type Ownership struct {
	Key  string   `toml:"key,omitempty"`  // owner when empty
	User []string `toml:"user,omitempty"` // values of pages that agents change only on request
	// Paths are globs of pages that belong to the user regardless of their
	// metadata, so that an agent only creates one there on request.
	Paths []string `toml:"paths,omitempty"`
	Mode  Mode     `toml:"mode,omitempty"`
	// Asked are words in the message of a write which state that the user requested
	// it.
	Asked string `toml:"asked,omitempty"`
}

// Forbids reports whether an actor may not change a page at a path with this
// metadata without a request.
func (o Ownership) Forbids(actor kb.Actor, path string, metadata map[string][]string, message string) bool {
	return len(o.User) > 0 && actor.Kind == kb.Agent && !(o.Asked != "" && strings.Contains(strings.ToLower(message), strings.ToLower(o.Asked))) &&
		(matchesAnyCase(o.Paths, path) || slices.ContainsFunc(metadata[o.key()], func(v string) bool { return slices.Contains(o.User, v) }))
}

func (o Ownership) key() string {
	if o.Key == "" {
		return "owner"
	}
	return o.Key
}

// kinds are the types of values, with the message for an invalid one.
var kinds = map[string]struct {
	is   func(value string, c Content) bool
	what string
}{
	"date":    {isForm("{date}", time.DateOnly), "a date such as 2026-03-01"},
	"month":   {isForm("{month}", "2006-01"), "a month such as 2026-03"},
	"week":    {func(v string, _ Content) bool { return isWeek(v) }, "an ISO week such as 2026-W09"},
	"time":    {func(v string, _ Content) bool { return isTime(v) }, "a time such as 2026-03-01T09:00:00Z"},
	"integer": {func(v string, _ Content) bool { _, err := strconv.ParseInt(v, 10, 64); return err == nil }, "a whole number"},
	"cron":    {func(v string, _ Content) bool { _, err := calendar.ParseCron(v); return err == nil }, "a line of cron such as 0 9 * * 1"},
	"name":    {func(v string, c Content) bool { return v == stem(c.Path) }, "the name of the file"},
	"directory": {func(v string, c Content) bool { return v == path.Base(path.Dir(c.Path)) },
		"the name of the directory"},
	"day":  {isDay, "a day such as 2026-03-01, or [2026-03-01 Sun] in Org"},
	"slug": {func(v string, _ Content) bool { return slug().MatchString(v) }, "a slug of lower-case words such as emacs or use-gofmt"},
	"slugs": {func(v string, _ Content) bool { return slug().MatchString(v) },
		"a list of slugs such as [emacs, deepsat], or :emacs:deepsat: in Org"},
	"list": {func(string, Content) bool { return true }, ""},
}

// slug matches lower-case words and numbers between hyphens.
var slug = lazyregexp.New(`^[\p{Ll}\p{Lo}\p{M}\p{N}]+(-[\p{Ll}\p{Lo}\p{M}\p{N}]+)*$`)

// isDay reports whether a value is a date, or an Org timestamp.
func isDay(v string, _ Content) bool {
	if n := len(v); n > 2 && (v[0] == '[' && v[n-1] == ']' || v[0] == '<' && v[n-1] == '>') {
		v, _, _ = strings.Cut(v[1:n-1], " ")
	}
	_, err := time.Parse(time.DateOnly, v)
	return err == nil
}

func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

func isForm(name calendar.Name, layout string) func(string, Content) bool {
	return func(v string, _ Content) bool {
		_, ok := name.Key(v)
		_, err := time.Parse(layout, v)
		return ok && err == nil
	}
}

func isWeek(v string) bool {
	if _, ok := calendar.Name("{week}").Key(v); !ok {
		return false
	}
	year, _ := strconv.Atoi(v[:4])
	week, _ := strconv.Atoi(v[6:])
	last, weeks := time.Date(year, time.December, 28, 0, 0, 0, 0, time.UTC).ISOWeek() // always in the last week
	return week >= 1 && last == year && week <= weeks
}

// inCalendar reports whether the days, weeks and months of a key of a calendar.Name
// exist.
func inCalendar(key string) bool {
	for part := range strings.FieldsSeq(key) {
		if _, err := time.Parse(time.DateOnly[:min(len(part), len(time.DateOnly))], part); err != nil && !isWeek(part) {
			return false
		}
	}
	return true
}

func isTime(v string) bool {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"} {
		if _, err := time.Parse(layout, v); err == nil {
			return true
		}
	}
	return false
}

// weekdayOf is the kind of a value with the weekday of the date under a key.
const weekdayOf = "weekday of "

// kindFault returns the message about the values of a typed key, "" for none.
func kindFault(kind string, values []string, c Content) string {
	if len(values) > 1 && kind != "list" && kind != "slugs" {
		return "has several values, and can have one"
	}
	if key, ok := strings.CutPrefix(kind, weekdayOf); ok {
		for _, v := range values {
			dates := c.Metadata[key]
			if len(dates) == 0 {
				continue
			}
			day, err := time.Parse(time.DateOnly, dates[0])
			if err == nil && !strings.EqualFold(v, day.Weekday().String()) && !strings.EqualFold(v, day.Weekday().String()[:3]) {
				return "is not the weekday of " + key + ", " + day.Weekday().String()
			}
			if err != nil && !slices.ContainsFunc(weekdays, func(d string) bool { return strings.EqualFold(v, d) }) {
				return "is not a weekday"
			}
		}
		return ""
	}
	for _, v := range values {
		if k := kinds[kind]; !k.is(v, c) {
			return fmt.Sprintf("is %q, not %s", v, k.what)
		}
	}
	return ""
}

var weekdays = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// Violations returns the rules that the page violates, in the order of the schemas.
func (p *Policy) Violations(c Content) []Violation {
	var out []Violation
	for _, s := range p.Schemas {
		if !s.appliesTo(c.Path, c.Type) {
			continue
		}
		for _, v := range s.violations(c) {
			v.Advice = s.Mode == Advisory
			out = append(out, v)
		}
	}
	return out
}

func (s Schema) appliesTo(path, kind string) bool {
	return (len(s.Types) == 0 || slices.Contains(s.Types, kind)) && (len(s.Paths) == 0 || matchesAnyCase(s.Paths, path)) && !matchesAny(s.Except, path)
}

// Derived returns the value of a key derived from the path of a page: its name or
// directory, the weekday of the date in its name, or the only value that a schema
// allows.
func (p *Policy) Derived(at string) map[string]string {
	out := map[string]string{}
	for _, s := range p.Schemas {
		if len(s.Types) > 0 || !s.appliesTo(at, "") {
			continue
		}
		for _, key := range s.Required {
			value := ""
			switch kind := s.Kinds[key]; {
			case kind == "name" || kind == "date":
				if _, err := time.Parse(time.DateOnly, stem(at)); err == nil || kind == "name" && s.Name != dayName {
					value = stem(at)
				}
			case kind == "directory":
				value = path.Base(path.Dir(at))
			case strings.HasPrefix(kind, weekdayOf):
				if day, err := time.Parse(time.DateOnly, stem(at)); err == nil {
					value = day.Weekday().String()
				}
			case len(s.Values[key]) == 1:
				value = s.Values[key][0]
			}
			if value != "" {
				out[key] = value
			}
		}
	}
	return out
}

// dayName is the form of the name of a daily page.
const dayName = "{date}"

// NamedByDay reports whether pages at a path are named by date.
func (p *Policy) NamedByDay(at string) bool {
	return slices.ContainsFunc(p.Schemas, func(s Schema) bool { return s.Name == dayName && s.appliesTo(at, "") })
}

// Requires reports whether a page of a type at a path is rejected without a
// property.
func (p *Policy) Requires(key, path, kind string) bool {
	return slices.ContainsFunc(p.Schemas, func(s Schema) bool {
		return s.Mode != Advisory && slices.Contains(s.Required, key) && s.appliesTo(path, kind)
	})
}

func (s Schema) violations(c Content) []Violation {
	var out []Violation
	for _, key := range s.Required {
		if len(c.Metadata[key]) == 0 {
			out = append(out, Violation{Key: key, Problem: "is required"})
		}
	}
	for _, key := range sortedKeys(s.Values) {
		values := c.Metadata[key]
		if key == "type" && len(values) == 0 && c.Type != "" {
			values = []string{c.Type} // that tags say, or the space
		}
		for _, v := range values {
			if !slices.Contains(s.Values[key], v) {
				out = append(out, Violation{Key: key, Problem: fmt.Sprintf("is %q, not one of %s", v, strings.Join(s.Values[key], ", ")), Value: true})
			}
		}
	}
	for _, key := range sortedKeys(s.Patterns) {
		whole := patternOf(s.Patterns[key])
		for _, v := range c.Metadata[key] {
			if whole != nil && !whole.MatchString(v) {
				out = append(out, Violation{Key: key, Problem: fmt.Sprintf("is %q, which does not match %s", v, s.Patterns[key]), Value: true})
			}
		}
	}
	for _, key := range sortedKeys(s.Kinds) {
		if fault := kindFault(s.Kinds[key], c.Metadata[key], c); fault != "" {
			out = append(out, Violation{Key: key, Problem: fault, Value: true})
		}
	}
	if s.Name != "" {
		if key, ok := s.Name.Key(stem(c.Path)); !ok {
			out = append(out, Violation{Key: "the name of the file", Problem: "is not of the form " + string(s.Name), Value: true})
		} else if !inCalendar(key) {
			out = append(out, Violation{Key: "the name of the file", Problem: "has a date that is not in the calendar", Value: true})
		}
	}
	after := -1
	for _, h := range s.Sections {
		at := slices.Index(c.Headings, h)
		switch {
		case at < 0:
			out = append(out, Violation{Key: h, Problem: "is a section that must be there"})
		case s.Ordered && at < after:
			out = append(out, Violation{Key: h, Problem: "is a section in a different order than " + strings.Join(s.Sections, ", "), Value: true})
		default:
			after = at
		}
	}
	return out
}

func (s Schema) validateKinds(n int) error {
	for _, key := range sortedKeys(s.Kinds) {
		kind := s.Kinds[key]
		of, weekday := strings.CutPrefix(kind, weekdayOf)
		if _, ok := kinds[kind]; !ok && !(weekday && of != "") {
			return kb.Errorf(kb.Invalid, "schema %d of the space's policy: %q of %s is not a kind", n, kind, key).
				WithHint("Kinds are %s, and weekday of KEY.", strings.Join(sortedKeys(kinds), ", "))
		}
	}
	switch {
	case !s.Mode.isKnown():
		return kb.Errorf(kb.Invalid, "schema %d of the space's policy: mode is %q, and neither strict nor advisory", n, s.Mode)
	case s.Name.Unknown() != "" || s.Name != "" && !s.Name.Dated():
		return kb.Errorf(kb.Invalid, "schema %d of the space's policy: the name %q has no place for a date", n, s.Name).
			WithHint("Write it with {date}, {week} or {month}.")
	}
	return nil
}
