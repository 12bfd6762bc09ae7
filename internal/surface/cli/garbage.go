package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// Garbage is collected at 32 MB, and not from 4 on, while little is in use, and that no more than
// a few times: most commands end before that, and collecting what they are about to leave takes
// a sixth of their time. From then on, and where more is in use, it is as usual.
const (
	roomyPercent = 800 // as GOGC has it
	little       = 6 << 20
	fewTimes     = 4
)

func leaveGarbage(env command.Env) {
	if env.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(roomyPercent)
	var next func(left int)
	wait := func(left int) { runtime.AddCleanup(new([16]byte), next, left) } // called after a collection
	next = func(left int) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if left == 0 || live[0].Value.Kind() != metrics.KindUint64 || live[0].Value.Uint64() > little {
			debug.SetGCPercent(usual)
			return
		}
		wait(left - 1)
	}
	wait(fewTimes)
}
