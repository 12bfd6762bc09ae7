package query

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTimes reads the phrases of testdata/times.txt. There is a page called Kickoff meeting,
// of 4 March 2026.
func TestTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 20, 15, 0, 0, 0, time.UTC) // a Wednesday
	ref := Reference{Now: now, DayOf: func(words []string) (time.Time, int) {
		if len(words) < 2 || !strings.EqualFold(words[0]+words[1], "kickoffmeeting") {
			return time.Time{}, 0
		}
		return time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), 2
	}}
	lines, err := os.ReadFile("testdata/times.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(lines)) {
		question, want, ok := strings.Cut(strings.TrimRight(line, "\n"), " = ")
		if !ok {
			t.Fatalf("no reading: %s", line)
		}
		n++
		var got []string
		whens, _ := Times(Parse(question, now).Root, ref)
		for _, w := range whens {
			text := w.Text + ": " + w.String()
			for _, flag := range []struct {
				name string
				set  bool
			}{{"yearly", w.Yearly}, {"relative", w.Relative}, {"bounded", w.Bounded}} {
				if flag.set {
					text += ", " + flag.name
				}
			}
			got = append(got, text)
		}
		if len(got) == 0 {
			got = []string{"no time"}
		}
		if diff := cmp.Diff(want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%q: %s", question, diff)
		}
	}
	if n < 200 {
		t.Errorf("%d phrases, want 200", n)
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 20, 15, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		when, day   string
		want, share float64
	}{
		{"on 1 may 2022", "2022-05-01", 1, 3. / 5},
		{"on 1 may 2022", "2022-05-02", lagWeight * math.Exp(-1./7), 3. / 5},
		{"on 1 may 2022", "2022-04-30", lagWeight * math.Exp(-1./2), 3. / 5},
		{"on 1 may 2022", "2022-05-29", 0, 3. / 5},
		{"on 1 may 2022", "2023-05-01", 0, 3. / 5},
		{"in december", "2022-12-31", 1, 1. / 3},
		{"in december", "2023-01-02", lagWeight * math.Exp(-2./7), 1. / 3},
		{"in december", "2022-11-30", lagWeight * math.Exp(-1./2), 1. / 3},
		{"on 29 february", "2023-03-01", lagWeight * math.Exp(-1./7), 2. / 4},
		{"in 2022", "2022-12-31", 1, 1. / 3},
		{"last month", "2026-04-30", 1, 2. / 4},
	} {
		day, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		whens, share := Times(Parse("diving lessons "+c.when, now).Root, Reference{Now: now})
		if len(whens) != 1 || math.Abs(share-c.share) > 1e-9 {
			t.Fatalf("%q is %v, share %f", c.when, whens, share)
		}
		if got := whens[0].Near(day.Add(23 * time.Hour)); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%q, %s: %f, want %f", c.when, c.day, got, c.want)
		}
	}
}

// Whatever is asked, times are in order and bounded.
func FuzzTimes(f *testing.F) {
	for _, s := range []string{"on 1 may 2022", "in 9999", "last 9999 years", "29 february", "0001-01-01", "12-04", "3 days ago in march", "in in in", "1 1 may 1 1"} {
		f.Add(s)
	}
	now := time.Date(2026, 5, 20, 15, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		whens, share := Times(Parse(text, now).Root, Reference{Now: now})
		if share < 0 || share > 1 {
			t.Errorf("%q: %f of it are times", text, share)
		}
		for _, w := range whens {
			if w.To.Before(w.From) && !w.To.IsZero() {
				t.Errorf("%q: %s ends before it begins", text, w.Text)
			}
			for _, at := range []time.Time{now, w.From, w.To, {}} {
				if n := w.Near(at); n < 0 || n > 1 || n != n {
					t.Errorf("%q is near by %f", text, n)
				}
			}
		}
	})
}
