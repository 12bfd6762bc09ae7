package query

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// What history shows as the time of a write is a time as of which it is there.
func TestMoments(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("UTC+2", 2*60*60)
	now := time.Date(2026, 3, 9, 12, 0, 0, 0, east)
	at := func(hour, minute, second, nano int) time.Time {
		return time.Date(2026, 3, 1, hour, minute, second, nano, time.UTC)
	}
	for text, want := range map[string][2]time.Time{
		"2026-03-01T10:00:00Z":          {at(10, 0, 0, 0), at(10, 0, 0, 0)},
		"2026-03-01T10:00:00.250+02:00": {at(8, 0, 0, 250e6), at(8, 0, 0, 250e6)},
		"2026-03-01 10:00":              {at(8, 0, 0, 0), at(8, 1, 0, -1)},
		"2026-03-01T10:00":              {at(8, 0, 0, 0), at(8, 1, 0, -1)},
		"2026-03-01 10:00:07":           {at(8, 0, 7, 0), at(8, 0, 8, -1)},
		"2026-03-01T10:00:07.5":         {at(8, 0, 7, 5e8), at(8, 0, 7, 5e8)},
		"192 hours ago":                 {at(10, 0, 0, 0), at(10, 0, 1, -1)},
		"2026-03-01":                    {at(-2, 0, 0, 0), at(22, 0, 0, -1)},
	} {
		from, err := Since(text, now)
		to, err2 := Instant(text, now)
		if err != nil || err2 != nil || !from.Equal(want[0]) || !to.Equal(want[1]) {
			t.Errorf("%s: %v to %v, %v %v", text, from, to, err, err2)
		}
	}
	for _, text := range []string{"2026-03-01 25:00", "10:00", ""} {
		if _, err := Instant(text, now); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := Since(text, now); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%q: %v", text, err)
		}
	}
}
