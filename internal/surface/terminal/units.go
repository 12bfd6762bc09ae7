package terminal

import (
	"fmt"
	"strings"
	"time"
)

// Count returns "1 page" and "2 pages".
func Count(n int, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "y") && !strings.HasSuffix(what, "ay"):
		what = strings.TrimSuffix(what, "y") + "ies"
	case strings.HasSuffix(what, "ch"):
		what += "es"
	default:
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Moment shows a time to a person, in their zone.
func Moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// Day shows the day of a time.
func Day(t time.Time) string { return t.Local().Format(time.DateOnly) }

// Size shows a number of bytes.
func Size(n int64) string {
	const k = 1024
	switch {
	case n < k:
		return fmt.Sprintf("%d B", n)
	case n < k*k:
		return fmt.Sprintf("%.1f KiB", float64(n)/k)
	case n < k*k*k:
		return fmt.Sprintf("%.1f MiB", float64(n)/(k*k))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(k*k*k))
}
