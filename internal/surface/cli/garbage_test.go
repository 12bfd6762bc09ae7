package cli

import (
	"math"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// A process with little in use stays below the soft limit, one with more below what it uses and
// some; one that has most of the limit in use is not held to it, and its garbage is bounded by
// what it uses.
func TestGarbageLimit(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int64{0: softLimit, veryMuch: softLimit, softLimit / 2: softLimit/2 + much, softLimit / 8 * 7: softLimit, softLimit: math.MaxInt64, 2 * softLimit: math.MaxInt64} {
		if got := garbageLimit(live); got != want {
			t.Errorf("limit %d with %d in use", got, live)
		}
	}
	for live, want := range map[uint64]int{little: roomyPercent, much: usualPercent, 2 * much: usualPercent / 2, 4 * much: usualPercent / 8, 100 * much: leastPercent} {
		if got := garbagePercent(live, 1); got != want {
			t.Errorf("collected at %d percent with %d in use, not at %d", got, live, want)
		}
	}
}

// A command that streams has a limit a little above what is in use. Imports do.
func TestStreamLimit(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int64{0: headroom, little: headroom, 3 * headroom: headroom, 4 * softLimit: 4 * softLimit / 3} {
		if more := streamLimit(live) - int64(live); more < want || more > want+limitStep {
			t.Errorf("%d above %d in use, want %d", more, live, want)
		}
	}
	root := newRoot(command.New(t.Context(), command.Env{}))
	for line, want := range map[string]bool{"import x": true, "import chatgpt x": true, "import claude projects x": true, "imports": false, "search x": false, "space add": false} {
		cmd, _, err := root.Find(strings.Fields(line))
		if err != nil || streams(cmd) != want {
			t.Errorf("%s streams: %v, %v", line, !want, err)
		}
	}
}
