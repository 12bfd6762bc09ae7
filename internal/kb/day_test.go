package kb_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Each moment of some years is in the day that begins last before it.
func TestDayStart(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "America/Santiago", "America/Havana", "Africa/Cairo", "Asia/Beirut", "America/Asuncion", "Asia/Kolkata", "Australia/Lord_Howe", "America/New_York"} {
		in, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := time.Date(2022, 1, 1, 12, 0, 0, 0, time.UTC); at.Year() < 2026; at = at.Add(30 * time.Minute) {
			year, month, day := at.In(in).Date()
			from, to := kb.DayStart(year, month, day, in), kb.DayStart(year, month, day+1, in)
			if at.Before(from) || !at.Before(to) || from.Day() != day {
				t.Fatalf("%s: %s is not from %s to %s", name, at.In(in), from, to)
			}
			if before := from.Add(-time.Second); before.Day() == day {
				t.Fatalf("%s: %s is before the first moment of its day, %s", name, before, from)
			}
		}
	}
}

func TestRoughly(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "1 s", 59 * time.Second: "59 s", 7 * time.Minute: "7 min", 90 * time.Minute: "1.5 h"} {
		if got := kb.Roughly(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
