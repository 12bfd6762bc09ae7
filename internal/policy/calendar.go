package policy

import (
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/kb/glob"
)

// Day configures when the days of a space begin.
type Day struct {
	// Boundary is the hour at which a day begins, from 0 to 23: before it the date
	// is that of the previous day.
	Boundary int `toml:"boundary,omitempty"`
}

// Calendar returns the days of the space; here is the zone if the space has none.
func (p *Policy) Calendar(here *time.Location) dates.Days {
	days := dates.Days{Zone: here, Hour: p.Day.Boundary}
	if zone, ok := dates.Zone(p.TimeZone); ok {
		days.Zone = zone
	}
	return days
}

// Rotation makes a page cover one day, week or month: when the next one begins,
// its text is moved to another page, and the page starts again.
type Rotation struct {
	Page string `toml:"page"` // path
	To   string `toml:"to"`   // path of the page that receives the text

	Every dates.Period `toml:"every,omitempty"` // a day when empty
	Key   string       `toml:"key,omitempty"`   // of the date in the metadata; date when empty
	Text  dates.Name   `toml:"text,omitempty"`  // initial text of the page
	Carry []string     `toml:"carry,omitempty"` // headings of carried-over sections
	Into  string       `toml:"into,omitempty"`  // heading of the section for their text; the same ones when empty

	// Keep receives the previous text of To when it is overwritten, unless a page
	// Record of its date was written after the last change of the day. Without
	// Keep, that text is only in the history.
	Record dates.Name `toml:"record,omitempty"`
	Keep   dates.Name `toml:"keep,omitempty"`

	// Add are named additions to the page. Text without a section is added to the
	// section of the first.
	Add []Addition `toml:"add,omitempty"`
}

// DaySection returns the section for text added to a page without a section, "" if
// it is not a daily page.
func (p *Policy) DaySection(page string) string {
	for _, r := range p.Rotate {
		if r.Page == page && len(r.Add) > 0 {
			return r.Add[0].Section
		}
	}
	return ""
}

// Addition is a kind of line that is added to a page.
type Addition struct {
	Name    string `toml:"name"`           // such as log
	Section string `toml:"section"`        // heading
	Line    string `toml:"line,omitempty"` // with {text} and {time}; "- {text}" when empty
}

// Of formats a text as a line at a time. Further lines of the text stay in its list
// item.
func (a Addition) Of(text string, now time.Time) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
	return strings.NewReplacer("{text}", text, "{time}", now.Format("15:04")).Replace(a.Line)
}

func (p *Policy) validateCalendar() error {
	if _, ok := dates.Zone(p.TimeZone); p.TimeZone != "" && !ok {
		return kb.Errorf(kb.Invalid, "time_zone %q in the space's policy is not a time zone", p.TimeZone).
			WithHint("Name one such as Europe/Berlin, or leave it out for the zone of the machine.")
	}
	if p.Day.Boundary < 0 || p.Day.Boundary > 23 {
		return kb.Errorf(kb.Invalid, "day.boundary in the space's policy is %d: not an hour from 0 to 23", p.Day.Boundary)
	}
	taken := map[string]bool{}
	for i := range p.Rotate {
		r := &p.Rotate[i]
		if r.Every == "" {
			r.Every = dates.ADay
		}
		if r.Key == "" {
			r.Key = "date"
		}
		if err := r.validate(); err != nil {
			return err
		}
		for _, path := range []string{r.Page, r.To} {
			if taken[path] {
				return kb.Errorf(kb.Invalid, "rotate in the space's policy names %s twice", path)
			}
			taken[path] = true
		}
	}
	return nil
}

func (r *Rotation) validate() error {
	switch {
	case !isPath(r.Page) || !isPath(r.To):
		return kb.Errorf(kb.Invalid, "rotate in the space's policy needs the paths of two pages; %q or %q is not one", r.Page, r.To).
			WithHint("Write them as state/today.md, with the extension.")
	case r.Every != dates.ADay && r.Every != dates.AWeek && r.Every != dates.AMonth:
		return kb.Errorf(kb.Invalid, "rotate of %s in the space's policy: every is %q, and neither day, week nor month", r.Page, r.Every)
	case r.Key != strings.ToLower(r.Key) || strings.ContainsAny(r.Key, " :\t\n"):
		return kb.Errorf(kb.Invalid, "rotate of %s in the space's policy: %q is not a key of the metadata", r.Page, r.Key)
	}
	names := map[string]bool{}
	for i := range r.Add {
		a := &r.Add[i]
		if a.Line == "" {
			a.Line = "- {text}"
		}
		switch {
		case a.Name == "" || strings.ContainsAny(a.Name, " \t\n") || names[a.Name]:
			return kb.Errorf(kb.Invalid, "rotate.add of %s in the space's policy: the name %q is not a single word, or is repeated", r.Page, a.Name)
		case strings.TrimSpace(a.Section) == "":
			return kb.Errorf(kb.Invalid, "rotate.add of %s in the space's policy: %s needs a section", r.Page, a.Name)
		case !strings.Contains(a.Line, "{text}"):
			return kb.Errorf(kb.Invalid, "rotate.add of %s in the space's policy: the line %q of %s has no place for a {text}", r.Page, a.Line, a.Name)
		}
		names[a.Name] = true
	}
	for name, value := range map[string]dates.Name{"record": r.Record, "keep": r.Keep} {
		if value != "" && (!isPath(string(value)) || !value.Dated()) || value.Unknown() != "" {
			return kb.Errorf(kb.Invalid, "rotate of %s in the space's policy: %s %q is not a path with a date", r.Page, name, value).
				WithHint("Write it as journal/{date}.md, or with {week} or {month}.")
		}
	}
	return nil
}

// isPath reports whether a text is the path of a page in a space.
func isPath(text string) bool {
	return text != "" && !strings.HasPrefix(text, "/") && !strings.HasSuffix(text, "/") && !strings.ContainsAny(text, "\t\n\\") &&
		!strings.Contains("/"+text+"/", "/../") && !strings.Contains("/"+text+"/", "/./") && !strings.Contains(text, "//")
}

// Expiry is how long pages are kept without changes.
type Expiry struct {
	Paths []string `toml:"paths"` // globs
	// Age is the time after its last change at which a page expires: 48h, 365d or
	// 12w.
	Age string `toml:"age"`
	// To is the directory to which it is moved, with the same name; without one it
	// is deleted, and can be restored.
	To string `toml:"to,omitempty"`
}

// After returns the age as a duration; a day has 24 hours.
func (e Expiry) After() time.Duration {
	d, _ := age(e.Age)
	return d
}

// Fits reports whether the rule applies to a page at a path.
func (e Expiry) Fits(path string) bool { return matchesAny(e.Paths, path) }

// age parses a duration in hours, days or weeks.
func age(text string) (time.Duration, bool) {
	if text == "" {
		return 0, false
	}
	unit := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[text[len(text)-1]]
	n, err := strconv.Atoi(text[:len(text)-1])
	return time.Duration(n) * unit, err == nil && unit > 0 && n > 0 && n <= maxRetention
}

// SectionLimit is the number of sections with a date in their heading that a
// page keeps.
type SectionLimit struct {
	Page    string     `toml:"page"`    // path or glob
	Heading dates.Name `toml:"heading"` // such as Weekly {week}
	// Keep is the number of sections kept, the newest by their headings, and the
	// last of duplicates. Alternatively, Days is the maximum age of their dates;
	// then duplicates are kept, too.
	Keep int `toml:"keep,omitempty"`
	Days int `toml:"days,omitempty"`
	// MaxBytes is the size above which a section is reported; 0 is never. It is
	// not cut.
	MaxBytes int `toml:"max_bytes,omitempty"`
}

// Many reports whether the limit applies to each page that matches its glob.
func (s SectionLimit) Many() bool { return strings.ContainsAny(s.Page, glob.Special) }

// Fits reports whether the limit applies to a page at a path.
func (s SectionLimit) Fits(path string) bool { return matchesAny([]string{s.Page}, path) }

func (r Retention) validateExpiry() error {
	for _, e := range r.Pages {
		switch _, ok := age(e.Age); {
		case len(e.Paths) == 0:
			return kb.Errorf(kb.Invalid, "retention.page in the space's policy needs paths")
		case !ok:
			return kb.Errorf(kb.Invalid, "retention.page in the space's policy: age %q of %s is not a number of hours, days or weeks", e.Age, e.Paths[0]).
				WithHint("Write it as 48h, 365d or 12w.")
		case e.To != "" && !isPath(e.To):
			return kb.Errorf(kb.Invalid, "retention.page in the space's policy: %q is not a directory in the space", e.To)
		}
		for _, g := range e.Paths {
			if !glob.Valid(g) {
				return kb.Errorf(kb.Invalid, "retention.page in the space's policy has %q, which is not a valid pattern", g)
			}
		}
	}
	for _, s := range r.Sections {
		switch {
		case s.Many() && !glob.Valid(s.Page), !s.Many() && !isPath(s.Page):
			return kb.Errorf(kb.Invalid, "retention.section in the space's policy: %q is not a path of a page", s.Page)
		case !s.Heading.Dated() || s.Heading.Unknown() != "":
			return kb.Errorf(kb.Invalid, "retention.section of %s in the space's policy: the heading %q names no date", s.Page, s.Heading).
				WithHint("Write it as Weekly {week}, or with {date} or {month}.")
		case s.Keep < 0 || s.Days < 0 || (s.Keep > 0) == (s.Days > 0) || s.Keep > maxRetention || s.Days > maxRetention || s.MaxBytes < 0:
			return kb.Errorf(kb.Invalid, "retention.section of %s in the space's policy: keep is %d, days %d, and max_bytes %d", s.Page, s.Keep, s.Days, s.MaxBytes).
				WithHint("One of keep and days is a number above 0.")
		}
	}
	return nil
}
