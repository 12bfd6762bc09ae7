package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cairn-kb/cairn/internal/files/git"
	"github.com/cairn-kb/cairn/internal/surface/cli/command"
)

// signals makes a context done when a signal asks the process to end.
type signals struct {
	came   chan os.Signal
	typed  chan os.Signal // by Ctrl-C
	minded bool           // whether Ctrl-C ends cairn

	patience atomic.Int64 // nanoseconds until a command that goes on is ended
}

// How long a command may take to end after a signal. Its memory survives a kill
// at any moment: the next command finishes or rolls back unfinished work.
const (
	patience = 900 * time.Millisecond
	warning  = 400 * time.Millisecond // before that git is asked to end
	lent     = 3 * time.Second        // more, while an editor may save its text
)

// listen returns a context that the first signal ends, with command.Stopped for its
// cause. A second one ends the process at once. A signal that is ignored when
// cairn starts stays ignored: nohup does that, and shells do for what a script
// runs in the background.
func listen() (context.Context, *signals) {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &signals{came: make(chan os.Signal, 1), typed: make(chan os.Signal, 1)}
	s.patience.Store(int64(patience))
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
	by := command.Stopped{Signal: int(number)}
	cancel(by)
	limit := time.Duration(s.patience.Load())
	<-time.After(limit - warning)
	git.Stop(false)
	<-time.After(warning)
	git.Stop(true)
	raise(number)
	os.Exit(by.Code())
}

// grace lets the process take longer to end after a signal.
func (s *signals) grace(d time.Duration) { s.patience.Store(int64(patience + d)) }

// lend leaves what the terminal's keys ask for to another program, until back
// is called: the terminal sends it to both.
func (s *signals) lend() (back func()) {
	theirs := make(chan os.Signal, 1) // nobody reads it
	signal.Notify(theirs, keys...)
	signal.Stop(s.typed)
	before := s.patience.Swap(int64(patience + lent))
	return func() {
		s.patience.Store(before)
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
