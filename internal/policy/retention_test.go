package policy_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
)

var update = flag.Bool("update", false, "write the golden files")

// twoYears is a page with 400 versions over two years: dense and sparse times,
// a long rest, days with many, and a time in which it was deleted.
func twoYears() []policy.Snapshot {
	var out []policy.Snapshot
	at := time.Date(2024, 3, 1, 8, 0, 0, 0, time.UTC)
	for i := range 400 {
		step := 7*time.Hour + time.Duration(i*i%977)*time.Minute
		switch {
		case i == 150:
			step = 100 * 24 * time.Hour
		case i > 150 && i < 200:
			step = 20 * time.Minute
		case i >= 200 && i%3 == 0:
			step = 5 * 24 * time.Hour
		}
		at = at.Add(step)
		out = append(out, policy.Snapshot{Time: at, Gone: i == 230})
	}
	return out
}

var retentions = map[string]policy.Retention{
	"everything":      {},
	"thirty-days":     {SnapshotDays: 30},
	"newest-twenty":   {SnapshotDays: 1, SnapshotMin: 20},
	"daily":           {SnapshotDays: 7, SnapshotDaily: 60},
	"daily-weekly":    {SnapshotDays: 30, SnapshotDaily: 90, SnapshotWeekly: 52},
	"grandfather":     {SnapshotDays: 14, SnapshotDaily: 30, SnapshotWeekly: 26, SnapshotMonthly: 1200, SnapshotMin: 5},
	"three-months":    {SnapshotDays: 2, SnapshotMonthly: 3},
	"monthly-forever": {SnapshotDays: 1, SnapshotMonthly: 1200},
}

func TestKeepGolden(t *testing.T) {
	t.Parallel()
	history := twoYears()
	now := history[len(history)-1].Time.Add(36 * time.Hour)
	berlin := time.FixedZone("UTC+2", 2*60*60)
	for name, r := range retentions {
		for zone, now := range map[string]time.Time{"": now, "-east": now.In(berlin)} {
			var b bytes.Buffer
			keep := r.Keep(history, now)
			n := 0
			for i, v := range history {
				if !keep[i] {
					continue
				}
				n++
				what := ""
				if v.Gone {
					what = " deleted"
				}
				fmt.Fprintf(&b, "%3d %s%s\n", i+1, v.Time.Format("2006-01-02 15:04 Mon"), what)
			}
			fmt.Fprintf(&b, "%d of %d on %s\n", n, len(history), now.Format("2006-01-02 15:04"))
			file := filepath.Join("testdata", "retention", name+zone+".golden")
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("%s%s:\n%s", name, zone, diff)
			}
		}
	}
}

// atEnds counts the versions that were there at one of the newest n ends of days
// of which the next begins as begins says; day by day, unlike Keep.
func atEnds(history []policy.Snapshot, now time.Time, n int, begins func(time.Time) bool) map[int]bool {
	out := map[int]bool{}
	for back := 0; n > 0; back++ {
		end := time.Date(now.Year(), now.Month(), now.Day()-back, 0, 0, 0, 0, now.Location())
		if end.Before(history[0].Time) {
			break
		}
		if !begins(end) {
			continue
		}
		n--
		for i := len(history) - 1; i >= 0; i-- {
			if history[i].Time.Before(end) {
				out[i] = true
				break
			}
		}
	}
	return out
}

// TestKeepIsExact: a version stays for one of the reasons, and else goes; and
// what went never stays again.
func TestKeepIsExact(t *testing.T) {
	t.Parallel()
	history := twoYears()
	for name, r := range retentions {
		if r.SnapshotDays == 0 {
			continue
		}
		before := make([]bool, len(history))
		for i := range before {
			before[i] = true
		}
		for step := range 100 {
			now := history[len(history)-1].Time.Add(time.Duration(step) * 127 * time.Hour)
			keep := r.Keep(history, now)
			byDay := atEnds(history, now, r.SnapshotDaily, func(time.Time) bool { return true })
			byWeek := atEnds(history, now, r.SnapshotWeekly, func(t time.Time) bool { return t.Weekday() == time.Monday })
			byMonth := atEnds(history, now, r.SnapshotMonthly, func(t time.Time) bool { return t.Day() == 1 })
			texts := 0
			for i := len(history) - 1; i >= 0; i-- {
				until := now
				if i+1 < len(history) {
					until = history[i+1].Time
				}
				newest := !history[i].Gone && texts < max(1, r.SnapshotMin)
				if !history[i].Gone {
					texts++
				}
				recent := !until.Before(now.AddDate(0, 0, -r.SnapshotDays))
				if want := newest || recent || byDay[i] || byWeek[i] || byMonth[i]; keep[i] != want {
					t.Fatalf("%s at %s: version %d of %s: kept %v", name, now, i+1, history[i].Time, keep[i])
				}
				if keep[i] && !before[i] {
					t.Fatalf("%s at %s: version %d would be kept again", name, now, i+1)
				}
			}
			before = keep
		}
	}
}

func TestKeepAtTheEdges(t *testing.T) {
	t.Parallel()
	at := func(text string) policy.Snapshot {
		when, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return policy.Snapshot{Time: when}
	}
	day := policy.Retention{SnapshotDays: 1, SnapshotDaily: 1000}
	week := policy.Retention{SnapshotDays: 1, SnapshotWeekly: 1000}
	month := policy.Retention{SnapshotDays: 1, SnapshotMonthly: 1000}
	for name, c := range map[string]struct {
		r       policy.Retention
		now     string
		history []policy.Snapshot
		want    []bool
	}{
		"a month of the same name a year later":          {month, "2026-06-01 00:00", []policy.Snapshot{at("2024-03-05 00:00"), at("2025-03-20 00:00")}, []bool{true, true}},
		"a week of the same number a year later":         {week, "2026-06-01 00:00", []policy.Snapshot{at("2024-03-06 00:00"), at("2025-03-06 00:00")}, []bool{true, true}},
		"a week over the turn of a year":                 {week, "2026-06-01 00:00", []policy.Snapshot{at("2024-12-30 08:00"), at("2025-01-05 20:00"), at("2025-01-06 08:00")}, []bool{false, true, true}},
		"until midnight, and from midnight on":           {day, "2026-06-01 12:00", []policy.Snapshot{at("2026-05-01 23:00"), at("2026-05-02 00:00"), at("2026-05-02 01:00")}, []bool{true, false, true}},
		"the end of February, told on the last of March": {policy.Retention{SnapshotDays: 1, SnapshotMonthly: 1}, "2026-03-31 12:00", []policy.Snapshot{at("2026-02-20 00:00"), at("2026-03-02 00:00")}, []bool{true, true}},
		"the end before the oldest that is kept":         {policy.Retention{SnapshotDays: 1, SnapshotDaily: 2}, "2026-06-10 12:00", []policy.Snapshot{at("2026-06-07 12:00"), at("2026-06-08 12:00"), at("2026-06-09 01:00"), at("2026-06-09 02:00")}, []bool{false, true, false, true}},
		"written in the kept days, and then the clock was set back": {policy.Retention{SnapshotDays: 3}, "2026-06-10 12:00",
			[]policy.Snapshot{at("2026-05-01 00:00"), at("2026-06-09 00:00"), at("2026-05-20 00:00"), at("2026-06-10 00:00")}, []bool{true, true, true, true}},
		"written by a clock that was ahead": {policy.Retention{SnapshotDays: 3}, "2026-06-10 12:00",
			[]policy.Snapshot{at("2026-05-01 00:00"), at("2026-05-02 00:00"), at("2031-01-01 00:00")}, []bool{false, true, true}},
		"until the first instant of the kept days": {policy.Retention{SnapshotDays: 3}, "2026-06-10 12:00",
			[]policy.Snapshot{at("2026-05-01 00:00"), at("2026-05-02 00:00"), at("2026-06-07 12:00")}, []bool{false, true, true}},
		"no version": {day, "2026-06-10 12:00", nil, []bool{}},
	} {
		if got := c.r.Keep(c.history, at(c.now).Time); !slices.Equal(got, c.want) {
			t.Errorf("%s: kept %v, not %v", name, got, c.want)
		}
	}
}

// TestKeepEndsOfDaysHere: a day ends where the person is that asks, whatever
// zone a version's time was read in.
func TestKeepEndsOfDaysHere(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("UTC+2", 2*60*60)
	at := func(hour int) policy.Snapshot {
		return policy.Snapshot{Time: time.Date(2026, 5, 1, hour, 0, 0, 0, time.UTC)}
	}
	history := []policy.Snapshot{at(20), at(21), at(23), at(25)} // 22, 23, 1 and 3 o'clock in the east
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	r := policy.Retention{SnapshotDays: 1, SnapshotDaily: 1000}
	if got, want := r.Keep(history, now), []bool{false, false, true, true}; !slices.Equal(got, want) {
		t.Errorf("in UTC: %v", got)
	}
	if got, want := r.Keep(history, now.In(east)), []bool{false, true, false, true}; !slices.Equal(got, want) {
		t.Errorf("in the east: %v", got)
	}
}

func TestKeepOfADeletedPage(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	history := []policy.Snapshot{{Time: at}, {Time: at.Add(time.Hour)}, {Time: at.Add(2 * time.Hour), Gone: true}}
	got := policy.Retention{SnapshotDays: 7}.Keep(history, at.AddDate(3, 0, 0))
	if got[0] || !got[1] {
		t.Errorf("the text that a deleted page is restored from: kept %v", got)
	}
}

func TestRetentionRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]kb.Code{
		"[retention]\nsnapshot_days = -1": kb.Invalid, "[retention]\nsnapshot_daily = 7": kb.Invalid,
		"[retention]\nsnapshot_days = 1\nsnapshot_min = 1000000": kb.Invalid, "[[retention.page]]\npaths = [\"a\"]\ndays = 3": kb.Invalid,
		"[retention]\nsnapshot_days = 1\nsnapshot_weekly = -1": kb.Invalid, "[retention]\nsnapshot_min = 2": kb.Invalid,
		"[retention]\nsnapshot_days = 1\nsnapshot_monthly = 100001": kb.Invalid, "[retention]\nsnapshot_weekly = 2": kb.Invalid,
		"[retention]\nsnapshot_days = 100000\nsnapshot_daily = 100000\nsnapshot_weekly = 100000": "",
		"[retention]\nsnapshot_days = 0": "", "[retention]\nsnapshot_days = 30\nsnapshot_monthly = 1200\nsnapshot_min = 3": "",
	} {
		if _, err := policy.Parse([]byte(text)); kb.CodeOf(err) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
