package query

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 20, 15, 0, 0, 0, time.UTC) // a Wednesday
	for _, c := range []struct{ question, want string }{
		{"", ""},
		{"What film did Joanna watch on 1 May, 2022?", "on 1 may 2022: 2022-05-01..2022-05-02"},
		{"Where was John between August 11 and August 15 2023?", "august 11: 2025-08-11..2025-08-12 yearly; august 15 2023: 2023-08-15..2023-08-16"},
		{"what did we decide in March", "in march: 2026-03-01..2026-04-01 yearly"},
		{"May I see the March of the sun", ""},
		{"may 3rd notes", "may 3rd: 2026-05-03..2026-05-04 yearly"},
		{"which flats did I see in June 2025 or July 2025", "in june 2025: 2025-06-01..2025-07-01; july 2025: 2025-07-01..2025-08-01"},
		{"plans of 2024", "2024: 2024-01-01..2025-01-01"},
		{"2000 steps in 5000 houses", ""},
		{"what happened yesterday", "yesterday: 2026-05-19..2026-05-20"},
		{"who called last week?", "last week: 2026-05-11..2026-05-18"},
		{"notes of two weeks ago", "two weeks ago: 2026-05-06..2026-05-07"},
		{"what takes two weeks", ""},
		{"meeting on Monday", "on monday: 2026-05-18..2026-05-19"},
		{"Monday and the sun", ""},
		{"log 2026-03-01 and 2026-W10", "2026-03-01: 2026-03-01..2026-03-02; 2026-w10: 2026-03-02..2026-03-09"},
		{"IL-6 and COVID-19 in 12-04 mice", ""},
		{"last of the last", ""},
		{"on the 3rd of March 2024", "on 3rd march 2024: 2024-03-03..2024-03-04"},
		{"the 2 of them, the 1st of all", ""},
		{"29 February birthdays", "29 february: 2024-02-29..2024-03-01 yearly"},
	} {
		var got []string
		whens, _ := Times(Parse(c.question, now).Root, now)
		for _, w := range whens {
			text := fmt.Sprintf("%s: %s..%s", w.Text, w.From.Format(time.DateOnly), w.To.Format(time.DateOnly))
			if w.Yearly {
				text += " yearly"
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%q: %s", c.question, diff)
		}
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
		{"on 1 may 2022", "2022-05-02", told * math.Exp(-1./7), 3. / 5},
		{"on 1 may 2022", "2022-04-30", told * math.Exp(-1./2), 3. / 5},
		{"on 1 may 2022", "2022-05-29", 0, 3. / 5},
		{"on 1 may 2022", "2023-05-01", 0, 3. / 5},
		{"in december", "2022-12-31", 1, 1. / 3},
		{"in december", "2023-01-02", told * math.Exp(-2./7), 1. / 3},
		{"in december", "2022-11-30", told * math.Exp(-1./2), 1. / 3},
		{"on 29 february", "2023-03-01", told * math.Exp(-1./7), 2. / 4},
		{"in 2022", "2022-12-31", 1, 1. / 3},
		{"last month", "2026-04-30", 1, 2. / 4},
	} {
		day, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		whens, share := Times(Parse("diving lessons "+c.when, now).Root, now)
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
		whens, share := Times(Parse(text, now).Root, now)
		if share < 0 || share > 1 {
			t.Errorf("%q: %f of it are times", text, share)
		}
		for _, w := range whens {
			if w.To.Before(w.From) {
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
