package policy_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	"monthly-forever": {SnapshotDays: 1, SnapshotMonthly: 1200},
}

func TestKeepGolden(t *testing.T) {
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

// What must hold whatever the policy and the time.
func TestKeepInvariants(t *testing.T) {
	history := twoYears()
	for name, r := range retentions {
		before := make([]bool, len(history))
		for i := range before {
			before[i] = true
		}
		for days := range 400 {
			now := history[len(history)-1].Time.Add(time.Duration(days) * 31 * time.Hour)
			keep := r.Keep(history, now)
			if !keep[len(keep)-1] {
				t.Fatalf("%s: the newest is not kept after %d days", name, days)
			}
			every := now.AddDate(0, 0, -r.SnapshotDays)
			for i, v := range history {
				if r.SnapshotDays > 0 && !keep[i] && i+1 < len(history) && !history[i+1].Time.Before(every) {
					t.Fatalf("%s: version %d is gone, which an undo within %d days needs", name, i+1, r.SnapshotDays)
				}
				if keep[i] && !before[i] {
					t.Fatalf("%s: version %d of %s would be kept again after %d days", name, i+1, v.Time, days)
				}
			}
			for back := range r.SnapshotDaily { // every end of a day can be told
				end := time.Date(now.Year(), now.Month(), now.Day()-back, 0, 0, 0, 0, now.Location())
				if end.Before(now.AddDate(0, 0, -r.SnapshotDaily)) {
					continue
				}
				for i := len(history) - 1; i >= 0; i-- {
					if history[i].Time.Before(end) {
						if !keep[i] {
							t.Fatalf("%s: what was there at %s is gone", name, end)
						}
						break
					}
				}
			}
			before = keep
		}
	}
}

func TestKeepOfADeletedPage(t *testing.T) {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	history := []policy.Snapshot{{Time: at}, {Time: at.Add(time.Hour)}, {Time: at.Add(2 * time.Hour), Gone: true}}
	got := policy.Retention{SnapshotDays: 7}.Keep(history, at.AddDate(3, 0, 0))
	if got[0] || !got[1] {
		t.Errorf("the text that a deleted page is restored from: kept %v", got)
	}
}

func TestRetentionRefuses(t *testing.T) {
	for text, want := range map[string]kb.Code{
		"[retention]\nsnapshot_days = -1": kb.Invalid, "[retention]\nsnapshot_daily = 7": kb.Invalid,
		"[retention]\nsnapshot_days = 1\nsnapshot_min = 1000000": kb.Invalid,
		"[retention]\nsnapshot_days = 0":                         "", "[retention]\nsnapshot_days = 30\nsnapshot_monthly = 1200\nsnapshot_min = 3": "",
	} {
		if _, err := policy.Parse([]byte(text)); kb.CodeOf(err) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
