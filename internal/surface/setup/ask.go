package setup

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// ErrAbsent is that the PATH has no such program.
var ErrAbsent = errors.New("no such program")

// Ask runs a program to its end, with nothing to read, and returns what it said, on either
// stream. It is ErrAbsent where there is none, and another error where it fails or takes
// longer than limit.
func Ask(ctx context.Context, limit time.Duration, command ...string) (string, error) {
	if len(command) == 0 || OnPath(command[0]) == "" {
		return "", ErrAbsent
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = time.Second
	said := tail{}
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	return string(said.text), err
}
