package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// signals makes a context done when a signal asks the process to end.
type signals struct {
	came   chan os.Signal
	typed  chan os.Signal // by Ctrl-C
	minded bool           // whether Ctrl-C ends cairn
}

// listen returns a context that the first signal ends, with command.Stopped for its
// cause. A second one ends the process at once. A signal that is ignored when
// cairn starts stays ignored: nohup does that, and shells do for what a script
// runs in the background.
func listen() (context.Context, *signals) {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &signals{came: make(chan os.Signal, 1), typed: make(chan os.Signal, 1)}
	if s.minded = !signal.Ignored(os.Interrupt); s.minded {
		signal.Notify(s.typed, os.Interrupt)
	}
	for _, sig := range endings {
		if !signal.Ignored(sig) {
			signal.Notify(s.came, sig)
		}
	}
	keepWriting()
	go s.await(cancel) // until the process ends
	return ctx, s
}

func (s *signals) await(cancel context.CancelCauseFunc) {
	var sig os.Signal
	select {
	case sig = <-s.came:
	case sig = <-s.typed:
	}
	signal.Stop(s.came)
	signal.Stop(s.typed)
	number, _ := sig.(syscall.Signal) // as all of them are
	cancel(command.Stopped{Signal: int(number)})
}

// lend leaves what the terminal's keys ask for to another program, until back
// is called: the terminal sends it to both.
func (s *signals) lend() (back func()) {
	theirs := make(chan os.Signal, 1) // nobody reads it
	signal.Notify(theirs, keys...)
	signal.Stop(s.typed)
	return func() {
		settle()
		if s.minded {
			signal.Notify(s.typed, os.Interrupt)
		}
		signal.Stop(theirs)
	}
}

// settle waits until the signals that have come are where they belong: one
// that ended the other program must not end this one a moment later.
func settle() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c) // waits for it
}

// end ends the process as the signal would have that stopped the command: a
// shell's loop over commands goes on after one that exits by itself.
func end(ctx context.Context, code int) {
	var by command.Stopped
	if errors.As(context.Cause(ctx), &by) && code == by.Code() {
		raise(syscall.Signal(by.Signal))
	}
	os.Exit(code)
}
