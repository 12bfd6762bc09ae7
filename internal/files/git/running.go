package git

import (
	"os/exec"
	"sync"
)

// running holds the runs of git that have not ended.
var running = struct {
	sync.Mutex
	all map[*exec.Cmd]bool
}{all: map[*exec.Cmd]bool{}}

// wait waits for a run of git that Stop may end.
func wait(cmd *exec.Cmd) error {
	running.Lock()
	running.all[cmd] = true
	running.Unlock()
	defer func() {
		running.Lock()
		delete(running.all, cmd)
		running.Unlock()
	}()
	return cmd.Wait()
}

// Stop ends all runs of git with what they started, for a process that is about to end.
// Without force they are asked to end, so that git removes its lock files.
func Stop(force bool) {
	running.Lock()
	defer running.Unlock()
	for cmd := range running.all {
		stop(cmd, force)
	}
}
