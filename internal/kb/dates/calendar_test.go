package dates

import (
	"fmt"
	"testing"
	"time"
)

// zones are with whole and half hours, summers that begin at midnight and at other
// times, and days that never were.
var zones = []string{
	"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe",
	"America/Asuncion", "Asia/Beirut", "Africa/Cairo", "Pacific/Apia", "America/St_Johns", "Pacific/Chatham",
	"America/Sao_Paulo", "Pacific/Kiritimati", "America/Havana", "Asia/Tehran", "Antarctica/Troll", "Pacific/Kwajalein",
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, ok := Zone(name)
	if !ok {
		t.Fatalf("there is no zone %s", name)
	}
	return z
}

// Over years of every zone and at every hour at which days may begin: days never go
// back, none is left out that there was, each begins when Next says, and a day is what
// the date and the hour make it wherever no clock is set.
func TestDays(t *testing.T) {
	t.Parallel()
	for _, span := range []string{"2011-11-01 2012-05-01", "2023-09-01 2024-05-01", "2017-09-01 2018-12-01", "1993-08-01 1993-09-15"} {
		var first, last string
		fmt.Sscan(span, &first, &last)
		from, _ := ParseDate(first)
		to, _ := ParseDate(last)
		for _, name := range zones {
			z := zone(t, name)
			for hour := range 24 {
				d := Days{Zone: z, Hour: hour}
				now := At(z, from, hour, 0)
				day := d.Of(now)
				for day < to {
					next := d.Next(now)
					if length := next.Sub(now); length < 22*time.Hour || length > 26*time.Hour {
						t.Fatalf("%s, %d o'clock: the %s is %s long", name, hour, day, length)
					}
					if got := d.Of(next.Add(-1)); got != day {
						t.Fatalf("%s, %d o'clock: at the end of the %s it is the %s", name, hour, day, got)
					}
					after := d.Of(next)
					for skipped := day + 1; skipped < after; skipped++ {
						if lived(z, skipped) {
							t.Fatalf("%s, %d o'clock: the %s is left out", name, hour, skipped)
						}
					}
					if after <= day || d.Begin(after) != next {
						t.Fatalf("%s, %d o'clock: after the %s comes the %s, at %s", name, hour, day, after, next)
					}
					for at := now; at.Before(next); at = at.Add(173 * time.Minute) {
						if got := d.Of(at); got != day {
							t.Fatalf("%s, %d o'clock: at %s it is the %s, not the %s", name, hour, at, got, day)
						}
					}
					now, day = next, after
				}
			}
		}
	}
}

func TestDayAt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		zone string
		hour int
		now  string // in UTC
		day  string
		next string
	}{
		{"Europe/Berlin", 4, "2026-11-25T02:59:59Z", "2026-11-24", "2026-11-25T03:00:00Z"},
		{"Europe/Berlin", 4, "2026-11-25T03:00:00Z", "2026-11-25", "2026-11-26T03:00:00Z"},
		// 02:00 to 03:00 is missing: a day that begins at 2 begins when clocks show 3.
		{"Europe/Berlin", 2, "2026-03-29T00:59:59Z", "2026-03-28", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", 2, "2026-03-29T01:00:00Z", "2026-03-29", "2026-03-30T00:00:00Z"},
		// 02:00 comes twice: the day begins at the first, and goes on at the second.
		{"Europe/Berlin", 2, "2026-10-25T00:00:00Z", "2026-10-25", "2026-10-26T01:00:00Z"},
		{"Europe/Berlin", 2, "2026-10-25T01:00:00Z", "2026-10-25", "2026-10-26T01:00:00Z"},
		// Midnight is missing in Cairo on 2024-04-26, and 23:00 comes twice on 2024-10-31.
		{"Africa/Cairo", 0, "2024-04-25T21:59:59Z", "2024-04-25", "2024-04-25T22:00:00Z"},
		{"Africa/Cairo", 23, "2024-10-31T20:00:00Z", "2024-10-31", "2024-11-01T21:00:00Z"},
		{"Africa/Cairo", 23, "2024-10-31T20:59:59Z", "2024-10-31", "2024-11-01T21:00:00Z"},
		// There was no 30 December 2011 in Apia.
		{"Pacific/Apia", 4, "2011-12-30T09:59:59Z", "2011-12-29", "2011-12-30T14:00:00Z"},
		{"Pacific/Apia", 4, "2011-12-30T10:00:00Z", "2011-12-29", "2011-12-30T14:00:00Z"},
		{"Pacific/Apia", 4, "2011-12-30T14:00:00Z", "2011-12-31", "2011-12-31T14:00:00Z"},
		{"Asia/Kolkata", 0, "2026-01-01T18:30:00Z", "2026-01-02", "2026-01-02T18:30:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		d := Days{zone(t, tt.zone), tt.hour}
		if got := d.Of(now).String(); got != tt.day {
			t.Errorf("%s, %d o'clock, %s: %s, not %s", tt.zone, tt.hour, tt.now, got, tt.day)
		}
		if got := d.Next(now).UTC().Format(time.RFC3339); got != tt.next {
			t.Errorf("%s, %d o'clock, %s: the next begins at %s, not %s", tt.zone, tt.hour, tt.now, got, tt.next)
		}
	}
}

func TestCron(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ line, zone, now, last, next string }{
		{"0 4 * * *", "Europe/Berlin", "2026-11-25T03:00:00Z", "2026-11-25T03:00:00Z", "2026-11-26T03:00:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-03-29T00:59:00Z", "2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-10-25T01:29:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		{"0 16 * * fri", "UTC", "2026-11-25T00:00:00Z", "2026-11-20T16:00:00Z", "2026-11-27T16:00:00Z"},
		{"0 20 L * *", "UTC", "2026-02-28T20:00:00Z", "2026-02-28T20:00:00Z", "2026-03-31T20:00:00Z"},
		{"0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"},
		{"*/20 8-10,22 1,15 * 1", "UTC", "2026-11-02T10:41:00Z", "2026-11-02T10:40:00Z", "2026-11-02T22:00:00Z"},
		{"0 9 * * 7", "UTC", "2026-11-25T00:00:00Z", "2026-11-22T09:00:00Z", "2026-11-29T09:00:00Z"},
		{"5/9223372036854775807 0 1-31/9223372036854775807 * *", "UTC", "2026-11-25T00:00:00Z", "2026-11-01T00:05:00Z", "2026-12-01T00:05:00Z"},
		{"@monthly", "UTC", "2026-11-25T00:00:00Z", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"},
		{"0 12 * * *", "Pacific/Apia", "2011-12-30T11:00:00Z", "2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z"},
	} {
		c, err := ParseCron(tt.line)
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		now, _ := time.Parse(time.RFC3339, tt.now)
		z := zone(t, tt.zone)
		last, _ := c.Last(z, now)
		next, _ := c.Next(z, now)
		if got := last.UTC().Format(time.RFC3339); got != tt.last {
			t.Errorf("%s in %s: last at %s, not %s", tt.line, tt.zone, got, tt.last)
		}
		if got := next.UTC().Format(time.RFC3339); got != tt.next {
			t.Errorf("%s in %s: next at %s, not %s", tt.line, tt.zone, got, tt.next)
		}
	}
	for _, line := range []string{
		"", "0 4 * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * * 8", "*/0 * * * *", "5-1 * * * *",
		"x * * * *", "0 0 31 2 *", "0 0 30 feb *", "* * * * * *", "@hour", "-1 * * * *", "1- * * * *", "L * * * *",
	} {
		if _, err := ParseCron(line); err == nil {
			t.Errorf("%q is taken", line)
		}
	}
}

func TestCronWithin(t *testing.T) {
	t.Parallel()
	c, err := ParseCron("@hourly")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		from, to   int
		last, next string
	}{{8, 22, "24 21:00", "25 08:00"}, {22, 2, "25 01:00", "25 22:00"}} {
		last, _ := c.Within(tt.from, tt.to).Last(time.UTC, now)
		next, _ := c.Within(tt.from, tt.to).Next(time.UTC, now)
		if got := last.Format("02 15:04"); got != tt.last {
			t.Errorf("last at %s, not %s", got, tt.last)
		}
		if got := next.Format("02 15:04"); got != tt.next {
			t.Errorf("next at %s, not %s", got, tt.next)
		}
	}
	morning, err := ParseCron("0 4 * * *")
	if err != nil {
		t.Fatal(err)
	}
	if !morning.Within(8, 22).Never() || c.Within(8, 22).Never() {
		t.Error("what is never due is not known")
	}
}

func TestDue(t *testing.T) {
	t.Parallel()
	c, err := ParseCron("0 16 * * 5")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		when, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, tt := range []struct {
		last, now string
		due       bool
	}{
		{"2026-11-20 16:00", "2026-11-27 15:59", false}, {"2026-11-20 16:00", "2026-11-27 16:00", true},
		{"2026-10-01 00:00", "2026-11-25 00:00", true}, {"2026-11-21 00:00", "2026-11-25 00:00", false},
		{"2027-11-20 16:00", "2026-11-25 00:00", true}, // a clock was wrong
	} {
		if _, due := c.Due(time.UTC, at(tt.last), at(tt.now)); due != tt.due {
			t.Errorf("done %s, at %s: due is %v", tt.last, tt.now, due)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	d, ok := ParseDate("2021-01-03T10:00:00Z")
	if !ok || d.String() != "2021-01-03" || d.Weekday() != time.Sunday {
		t.Fatalf("%s", d)
	}
	for name, want := range map[Name]string{"a/{date}-x.md": "a/2021-01-03-x.md", "Weekly {week}": "Weekly 2020-W53", "M {month}": "M 2021-01", "x": "x"} {
		if got := name.Of(d); got != want || name.Unknown() != "" || name.Dated() != (name != "x") {
			t.Errorf("%s: %s", name, got)
		}
		if _, ok := name.Key(want); !ok {
			t.Errorf("%s is not recognised in %s", name, want)
		}
	}
	if key, ok := Name("Weekly {week}").Key("Weekly 2020-W53"); !ok || key != "2020-W53" {
		t.Errorf("%s", key)
	}
	if _, ok := Name("Weekly {week}").Key("Weekly 2020-W53, again"); ok {
		t.Error("a longer name is taken")
	}
	if Name("{day}").Unknown() != "{day}" {
		t.Error("a place that stands for nothing is taken")
	}
	for _, text := range []string{"", "2026-13-01", "today", "2026-02-30", "26-01-01"} {
		if _, ok := ParseDate(text); ok {
			t.Errorf("%q is a date", text)
		}
	}
	for p, want := range map[Period]string{ADay: "2021-01-03", AWeek: "2020-12-28", AMonth: "2021-01-01"} {
		if got := p.First(d).String(); got != want {
			t.Errorf("the first of a %s is %s", p, got)
		}
	}
	for _, name := range []string{"", "Local", "Mars/Olympus", " UTC", "../etc/passwd"} {
		if _, ok := Zone(name); ok {
			t.Errorf("%q is a zone", name)
		}
	}
}
