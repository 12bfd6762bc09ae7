package kb

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func interval(s string) Interval {
	from, until, _ := strings.Cut(s, "..")
	return Interval{from, until}
}

func TestIntervalsOverlap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"2017..2020", "2018..2022", true},
		{"2017..2020", "2020..2022", false}, // adjacent
		{"2017..2020", "2020-05..2022", false},
		{"2017..2020-05", "2020..2022", false}, // at the coarser precision
		{"2017..2020-05", "2020-04..2022", true},
		{"2017-01-03..2026-03", "2020..2021", true},
		{"2017..", "2019..", true},
		{"2017..", "2010..2017", false},
		{"2017..", "2010..2017-06", false},
		{"2017..", "2010..2018", true},
		{"2017..2020", "2017..2020", true},
		{"2017-05-01..2017-05-02", "2017-05-01T10:00..2017-05-02", true},
		{"2030..2022", "2018..2040", false}, // holds on no day
		{"2018-01-01..2018-01-01", "2017..2040", false},
		{"2018..2018", "2017..2040", true}, // on some day of 2018
		// Nobody knows since when.
		{"..2018", "..2020", false},
		{"..2018-05-01", "..2018-05-01", true},
		{"..2018", "..2018", false},
		{"..2018", "2015..2020", true},
		{"..2018", "2015..2018", false},
		{"..2018-01-01", "2015..2018-01-01", true},
		{"..2018", "2015..", true},
		{"..2018", "2018..", false},
		{"..2018", "2015..2017", false},
		{"..", "2015..2017", false},
		{"..", "2015..", true},
		{"..", "..2017", false},
		{"..", "..", true},
	} {
		a, b := interval(tc.a), interval(tc.b)
		if got := a.Overlaps(b); got != tc.want {
			t.Errorf("%s and %s overlap: %v", tc.a, tc.b, got)
		}
		if a.Overlaps(b) != b.Overlaps(a) {
			t.Errorf("%s and %s overlap one way only", tc.a, tc.b)
		}
	}
}

func TestIntervalOnADay(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		interval, date string
		holds, ended   bool
	}{
		{"2017-01-03..2026-03-01", "2017-01-02", false, false},
		{"2017-01-03..2026-03-01", "2017-01-03", true, false},
		{"2017-01-03..2026-03-01", "2026-02-28", true, false},
		{"2017-01-03..2026-03-01", "2026-03-01", false, true},
		{"2017-01-03..2026-03-01", "2017", true, false},
		{"2017-01-03..2026-03-01", "2016", false, false},
		{"2017-01-03..2026-03-01", "2026", true, false},
		{"2017-01-03..2026-03-01", "2026-03", false, true},
		{"2017..2020", "2019-12-31T23:59", true, false},
		{"2017..2020", "2020-01-01", false, true},
		{"2017..2020", "2020", false, true},
		{"..2020", "1066-10-14", true, false},
		{"2017..", "2999-01-01", true, false},
		{"..", "2026", true, false},
		{"2030..2022", "2025-01-01", false, true},
		{"2018-01-01..2018-01-01", "2018-01-01", false, true},
	} {
		i := interval(tc.interval)
		if i.Holds(tc.date) != tc.holds || i.Ended(tc.date) != tc.ended {
			t.Errorf("%s on %s: holds %v, ended %v", tc.interval, tc.date, i.Holds(tc.date), i.Ended(tc.date))
		}
	}
}

func TestIntervalInOrder(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"2017..2020": true, "2020..2017": false, "2020..2020-05": true, "2020-05..2020": true,
		"2020-05-02..2020-05-01": false, "2020-05-02T10:00..2020-05-02T09:00": true, "..2020": true, "2020..": true, "..": true,
	} {
		if got := interval(s).InOrder(); got != want {
			t.Errorf("%s in order: %v", s, got)
		}
	}
}

// calendar are the days of a small world, and what its dates may mean.
type calendar struct {
	days  []string
	dates []string
}

func smallCalendar() calendar {
	var c calendar
	for y := 2020; y <= 2022; y++ {
		c.dates = append(c.dates, fmt.Sprint(y))
		for m := 1; m <= 3; m++ {
			if m == 2 {
				c.dates = append(c.dates, fmt.Sprintf("%d-%02d", y, m))
			}
			for d := 1; d <= 3; d++ {
				c.days = append(c.days, fmt.Sprintf("%d-%02d-%02d", y, m, d))
			}
		}
		c.dates = append(c.dates, fmt.Sprintf("%d-01-02", y), fmt.Sprintf("%d-02-01", y), fmt.Sprintf("%d-02-02", y), fmt.Sprintf("%d-03-02", y))
	}
	return c
}

// meant are the numbers of the days that a date may mean. "" may be any day, or
// none that has come.
func (c calendar) meant(date string, start bool) (out []int) {
	if date == "" && !start {
		return []int{len(c.days)}
	}
	for i, d := range c.days {
		if strings.HasPrefix(d, date) {
			out = append(out, i)
		}
	}
	return out
}

// share reports whether two runs of days have one in common, day by day.
func share(af, au, bf, bu, days int) bool {
	for d := range days {
		if af <= d && d < au && bf <= d && d < bu {
			return true
		}
	}
	return false
}

// Whatever is meant by two intervals that overlap, some day is in both; and of days
// nothing else can be meant, so that those overlap exactly where a day is in both.
func TestIntervalsOverlapDayByDay(t *testing.T) {
	t.Parallel()
	c := smallCalendar()
	r := rand.New(rand.NewPCG(7, 11))
	date := func() string {
		if r.IntN(5) == 0 {
			return ""
		}
		return c.dates[r.IntN(len(c.dates))]
	}
	overlapping, apart := 0, 0
	for range 6000 {
		a, b := Interval{date(), date()}, Interval{date(), date()}
		always, exact := true, true
		for _, s := range []string{a.From, a.Until, b.From, b.Until} {
			exact = exact && (s == "" || isDay(s))
		}
		meanings := 0
		for _, af := range c.meant(a.From, true) {
			for _, au := range c.meant(a.Until, false) {
				for _, bf := range c.meant(b.From, true) {
					for _, bu := range c.meant(b.Until, false) {
						if af >= au || bf >= bu {
							continue // says nothing
						}
						meanings++
						always = always && share(af, au, bf, bu, len(c.days)+1)
					}
				}
			}
		}
		always = always && meanings > 0
		switch got := a.Overlaps(b); {
		case got && !always:
			t.Fatalf("%v and %v overlap, and may share no day", a, b)
		case got:
			overlapping++
		case exact && always:
			t.Fatalf("%v and %v share a day, and do not overlap", a, b)
		default:
			apart++
		}
	}
	if overlapping < 500 || apart < 500 {
		t.Fatalf("%d overlap, %d do not: too few to say anything", overlapping, apart)
	}
}

// On each day an interval holds, or is over, or has not begun.
func TestIntervalDayByDay(t *testing.T) {
	t.Parallel()
	c := smallCalendar()
	for _, from := range append(slices.Clone(c.dates), "") {
		for _, until := range append(slices.Clone(c.dates), "") {
			i := Interval{from, until}
			for n, day := range c.days {
				begun := from == "" || c.meant(from, true)[0] <= n
				over := until != "" && c.meant(until, false)[0] <= n
				if i.Holds(day) != (begun && !over && !i.never()) || i.Ended(day) != over {
					t.Fatalf("%v on %s: holds %v, ended %v", i, day, i.Holds(day), i.Ended(day))
				}
			}
		}
	}
}
