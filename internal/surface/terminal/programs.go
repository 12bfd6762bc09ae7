package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// grace is how long another program has to end after a signal.
const grace = 2 * time.Second

// Streams are what another program gets of ours while it has the terminal.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer // as the process has them
	Dir      string    // it works in
	Env      []string  // added to our environment, as NAME=VALUE

	// Lend leaves the terminal's keys, such as Ctrl-C, to the program until
	// back is called; nil where none come.
	Lend func() (back func())
}

// RunEditor runs a person's editor on a file until it ends. Meanwhile what keys
// such as Ctrl-C do is its affair.
func RunEditor(ctx context.Context, editor, file string, s Streams) error {
	run := shell(ctx, editor, file)
	run.Stdin = s.In
	if err := s.lend(run); ctx.Err() != nil {
		return ctx.Err()
	} else if err != nil {
		return kb.Errorf(kb.Internal, "the editor failed: %w", err)
	}
	return nil
}

// RunPager shows text in a person's pager until it ends. An error means that
// the pager could not be started and nothing was shown.
func RunPager(ctx context.Context, pager string, text []byte, s Streams) error {
	run := shell(ctx, pager)
	run.Stdin = bytes.NewReader(text)
	if err := s.lend(run); ctx.Err() != nil {
		return ctx.Err()
	} else if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() != notFound && exit.ExitCode() != notRunnable {
		return nil // such as less that Ctrl-C ended: what there was to see was seen
	} else {
		return err
	}
}

// The codes with which a shell ends that finds no such program, or none that
// it may run.
const (
	notFound    = 127
	notRunnable = 126
)

// shell runs a command line with these arguments added.
func shell(ctx context.Context, line string, args ...string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(line), args...)
		return exec.CommandContext(ctx, words[0], words[1:]...)
	}
	run := exec.CommandContext(ctx, "sh", append([]string{"-c", shellLine(line), "sh"}, args...)...)
	// It may save its data, which a kill does not allow.
	run.Cancel = func() error { return run.Process.Signal(syscall.SIGTERM) }
	run.WaitDelay = grace
	return run
}

// lend gives the terminal to a program until it ends.
func (s Streams) lend(run *exec.Cmd) error {
	run.Stdout, run.Stderr, run.Dir = s.Out, s.Err, s.Dir
	if len(s.Env) > 0 {
		run.Env = append(run.Environ(), s.Env...)
	}
	if s.Lend != nil {
		defer s.Lend()()
	}
	return run.Run()
}

// shellLine is what a shell is to run: it splits what people put into EDITOR and
// PAGER, such as "code --wait". Where that is a program with its arguments, that
// takes the shell's place, and a signal reaches it.
func shellLine(program string) string {
	line := program + ` "$@"`
	if strings.ContainsAny(program, "=|&;<>(){}$`!\n") {
		return line
	}
	return "exec " + line
}

// Installed reports whether there is a program of a name.
func Installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
