package terminal

import (
	"context"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// editorGrace is how long an editor has to end when it is told to.
const editorGrace = 2 * time.Second

// Streams are what another program gets of ours while it has the terminal.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer // as the process has them
	Dir      string    // it works in

	// Lend leaves the terminal's keys, such as Ctrl-C, to the program until
	// back is called; nil where none come.
	Lend func() (back func())
}

// RunEditor runs a person's editor on a file until it ends. Meanwhile what keys
// such as Ctrl-C do is its affair.
func RunEditor(ctx context.Context, editor, file string, s Streams) error {
	run := exec.CommandContext(ctx, "sh", "-c", editorLine(editor), "sh", file)
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(editor), file)
		run = exec.CommandContext(ctx, words[0], words[1:]...)
	} else { // it may save what is in it, which a kill does not let it
		run.Cancel = func() error { return run.Process.Signal(syscall.SIGTERM) }
		run.WaitDelay = editorGrace
	}
	run.Stdin, run.Stdout, run.Stderr, run.Dir = s.In, s.Out, s.Err, s.Dir
	if s.Lend != nil {
		defer s.Lend()()
	}
	err := run.Run()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return kb.Errorf(kb.Internal, "the editor failed: %w", err)
	}
	return nil
}

// editorLine is what a shell is to run: it splits what people put into EDITOR,
// such as "code --wait". Where that is a program with its arguments, that takes
// the shell's place, and a signal reaches it.
func editorLine(editor string) string {
	line := editor + ` "$1"`
	if strings.ContainsAny(editor, "=|&;<>(){}$`!\n") {
		return line
	}
	return "exec " + line
}
