package policy_test

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/policy"
)

// A heading is one of an addition only with a time in it.
func TestRevisionIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, heading string
		want             bool
	}{
		{"", "Agent revision — 2026-03-01T10:00:00Z", true},
		{"", "Agent revision — 2026-03-01T10:00:00+09:00", true},
		{"", "Agent revision — soon", false},
		{"{time}", "2026-03-01T10:00:00Z", true},
		{"{time}", "Tasks", false},
		{"{time} by an agent", "2026-03-01T10:00:00Z by an agent", true},
		{"{time} by an agent", "2026-03-01T10:00:00Z by me", false},
		{"Again", "Again", true},
		{"Again", "Again and again", false},
	} {
		r := policy.Revision{Heading: c.pattern}
		if got := r.Is(c.heading); got != c.want {
			t.Errorf("%q of %q: %v", c.heading, c.pattern, got)
		}
	}
	zone := time.FixedZone("", 9*60*60)
	if r := (policy.Revision{Heading: "{time}"}); !r.Is(r.At(time.Date(2026, 3, 1, 10, 0, 0, 0, zone))) {
		t.Error("its own heading is none")
	}
}
