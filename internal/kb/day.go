package kb

import (
	"fmt"
	"time"
)

// DayStart returns the first moment of a day, which is not always 0:00. If the
// clock is set forward at midnight, as in Santiago, Havana and Cairo, the day
// begins later. If it is set back across midnight, the day begins at the first of
// both midnights. A day out of range is normalised, as in time.Date.
func DayStart(year int, month time.Month, day int, in *time.Location) time.Time {
	t := time.Date(year, month, day, 0, 0, 0, 0, in)
	if t.Hour() > 12 { // on the day before
		_, t = t.ZoneBounds()
	}
	if first := t.Add(-time.Hour); first.Day() == t.Day() {
		return first
	}
	return t
}

// Roughly formats a duration for people.
func Roughly(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	case d >= time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f s", max(d.Seconds(), 1))
}
