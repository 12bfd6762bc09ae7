package kb

import (
	"fmt"
	"time"
)

// DayStart returns the first moment of a day. That is not always 0:00: where the clock is
// set forward at midnight, as in Santiago, Havana and Cairo, the day begins later, and where it is
// set back over it, at the first of two. A day out of range counts on, as in time.Date.
func DayStart(year int, month time.Month, day int, in *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, in)
	if t.Hour() > 12 { // of the day before
		_, t = t.ZoneBounds()
	}
	if first := t.Add(-time.Hour); first.Day() == t.Day() {
		return first
	}
	return t
}

// Roughly is a duration for reading.
func Roughly(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	case d >= time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f s", max(d.Seconds(), 1))
}
