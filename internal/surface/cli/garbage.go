package cli

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// Garbage is collected at 32 MB, and not from 4 on, while little is in use, and that no more than
// a few times: most commands end before that, and collecting what they are about to leave takes
// a sixth of their time. Where much is in use, such as the texts of a large page, it is collected
// before as much again was allocated, and of very much, before half of that was. In between it
// is as usual.
//
// Until a process has most of softLimit in use, it stays below: one page of the greatest size
// is mostly copies of a text, which cost little to find. A limit that is nearly in use would
// collect without end, so there is none then.
//
// A command that streams any number of documents has headroom above what is in use, or a third of
// it: it runs for minutes, so that what its garbage takes is seen, and the time for it is not.
const (
	roomyPercent = 800 // as GOGC has it
	usualPercent = 100
	little       = 6 << 20
	fewTimes     = 4
	much         = 56 << 20
	veryMuch     = 2 * much
	leastPercent = 10
	softLimit    = 300 << 20
	headroom     = 36 << 20
	streamShare  = 3
	limitStep    = 4 << 20 // a limit that changes stops all goroutines for a moment
)

// collectGarbage sets when garbage is collected. The function that it returns is for commands that
// stream.
func collectGarbage(env command.Env) (stream func()) {
	var streams atomic.Bool
	if env.Getenv("GOGC") != "" {
		return func() {}
	}
	now, limit := roomyPercent, int64(math.MaxInt64)
	debug.SetGCPercent(now)
	setLimit := func(live uint64) {
		to := garbageLimit(live)
		if streams.Load() {
			to = streamLimit(live)
		}
		if to != limit && env.Getenv("GOMEMLIMIT") == "" {
			limit = to
			debug.SetMemoryLimit(to)
		}
	}
	setLimit(0)
	var next func(left int)
	wait := func(left int) { runtime.AddCleanup(new([16]byte), next, left) } // called after a collection
	next = func(left int) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if live[0].Value.Kind() != metrics.KindUint64 {
			debug.SetGCPercent(usualPercent)
			return
		}
		setLimit(live[0].Value.Uint64())
		percent := garbagePercent(live[0].Value.Uint64(), left)
		if percent != now {
			now = percent
			debug.SetGCPercent(now)
		}
		if left > 0 && now == roomyPercent {
			wait(left - 1)
		} else {
			wait(0)
		}
	}
	wait(fewTimes)
	return func() { streams.Store(true) }
}

// streamLimit returns the soft limit of memory of a command that streams, with this much in use.
func streamLimit(live uint64) int64 {
	more := max(headroom, int64(live)/streamShare)
	return (int64(live) + more + limitStep - 1) / limitStep * limitStep
}

// garbageLimit returns the soft limit of memory with this much in use.
func garbageLimit(live uint64) int64 {
	switch {
	case live > softLimit/32*31:
		return math.MaxInt64
	case live > veryMuch:
		return min(softLimit, int64(live+much))
	}
	return softLimit
}

// garbagePercent returns the garbage percentage, relative to live memory, at
// which to collect again, after a collection that left this much with little in
// use.
func garbagePercent(live uint64, left int) int {
	switch {
	case live <= little && left > 0:
		return roomyPercent
	case live > veryMuch:
		return max(int(usualPercent/2*much/live), leastPercent)
	case live > much:
		return max(int(usualPercent*much/live), leastPercent)
	}
	return usualPercent
}
