//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

var (
	// endings are the signals other than Ctrl-C that end a command: from
	// supervisors, and from a closed terminal.
	endings = []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
	// keys are the signals that a terminal's keys send.
	keys = []os.Signal{os.Interrupt, syscall.SIGQUIT}
)

// keepWriting makes a write fail that nobody reads any more, rather than end
// the process in the middle of its work.
func keepWriting() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// raise ends the process by a signal. It returns if that is held back.
func raise(sig syscall.Signal) {
	signal.Reset(sig)
	if err := syscall.Kill(syscall.Getpid(), sig); err == nil {
		<-time.After(time.Second) // another thread may get it, a moment later
	}
}
