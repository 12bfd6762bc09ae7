package cli

import (
	"math"
	"testing"
)

// A process with little in use stays below the soft limit; one that has most of the limit in
// use is not held to it, and its garbage is bounded by what it uses.
func TestGarbageLimit(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int64{0: softLimit, softLimit / 2: softLimit, softLimit: math.MaxInt64, 2 * softLimit: math.MaxInt64} {
		if got := garbageLimit(live); got != want {
			t.Errorf("limit %d with %d in use", got, live)
		}
	}
	for live, want := range map[uint64]int{little: roomyPercent, much: usualPercent, 4 * much: usualPercent / 4, 100 * much: leastPercent} {
		if got := garbagePercent(live, 1); got != want {
			t.Errorf("collected at %d percent with %d in use, not at %d", got, live, want)
		}
	}
}
