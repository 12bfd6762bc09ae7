package brief_test

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/brief"
)

// Links make up for age, and one of them for a week.
func TestAge(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for _, tc := range []struct {
		since time.Duration
		links int
		want  float64
	}{{0, 0, 0}, {10 * day, 0, 10}, {10 * day, 1, 3}, {21 * day, 3, 7}, {12 * time.Hour, 0, 0.5}} {
		if got := brief.Age(tc.since, tc.links); got != tc.want {
			t.Errorf("%v with %d links counts as %v days, want %v", tc.since, tc.links, got, tc.want)
		}
	}
}
