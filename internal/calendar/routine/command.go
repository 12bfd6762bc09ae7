package routine

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/safetext"
	"github.com/cairn-kb/cairn/internal/memory/space"
)

// Command is a program of a person's configuration that is run for each routine that
// becomes due. The zero value runs nothing.
type Command struct {
	Words []string      // the program and its arguments
	Wait  time.Duration // how long one run may take
	DB    string        // the memory of the routine: a path or a URL
	// Dir is the working directory. It is not a vault, since an agent's program
	// would read the vault's settings as the person's.
	Dir string
}

// CommandOf reads the command from the configuration. A space's policy cannot set
// one: a vault from somebody else runs nothing.
func CommandOf(place space.Place) (c Command, err error) {
	line, err := place.Setting("routine_command")
	if c.Words = strings.Fields(line); err != nil || len(c.Words) == 0 {
		return c, err
	}
	wait, err := place.Setting("routine_wait")
	if err != nil {
		return c, err
	}
	if c.Wait, err = time.ParseDuration(wait); err != nil {
		return c, err
	}
	c.Dir = place.Home
	c.DB, err = space.DatabasePath(place)
	return c, err
}

// grace is how long a program may take to end after it was asked to stop.
const grace = 5 * time.Second

// run runs the command for a routine, and reports whether a command is configured.
// Its output is discarded: it may quote pages.
func (c Command) run(ctx context.Context, r api.Announced) (bool, error) {
	if len(c.Words) == 0 {
		return false, nil
	}
	within, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	run := exec.CommandContext(within, c.Words[0], c.Words[1:]...)
	run.Stdin = strings.NewReader(task(r))
	run.Env = append(run.Environ(), "CAIRN_SPACE="+r.Space, "CAIRN_ROUTINE="+r.Name, "CAIRN_DB="+c.DB,
		"CAIRN_ACTOR="+actor(c.Words[0]))
	run.Dir, run.WaitDelay = c.Dir, grace
	// The program may be writing, and killing it would interrupt the write.
	run.Cancel = func() error { return run.Process.Signal(syscall.SIGTERM) }
	err := run.Run()
	exit := (*exec.ExitError)(nil)
	switch {
	case err == nil: // even when it was just asked to stop
		return true, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	case within.Err() != nil:
		return false, failed("took longer than %s", c.Wait)
	case errors.As(err, &exit):
		return false, failed("ended with exit code %d", exit.ExitCode())
	}
	return false, failed("cannot be started")
}

func failed(format string, args ...any) error {
	return kb.Errorf(kb.Internal, "routine_command "+format, args...).
		WithHint("It is tried again. The settings are routine_command and routine_wait.")
}

// actor is the actor for writes by a program: an agent, regardless of the
// person who configured it, so that the rules for agents apply.
func actor(program string) string {
	name := strings.TrimSuffix(filepath.Base(program), ".exe")
	if a, err := kb.ParseActor("agent:" + name); err == nil {
		return a.String()
	}
	return string(kb.Agent)
}

// task describes the task to an agent. It quotes no page.
func task(r api.Announced) string {
	var out strings.Builder
	fmt.Fprintf(&out, "The routine %s of the space %s is due since %s.\n", safetext.Word(r.Name), r.Space, r.Since.Local().Format(time.RFC3339))
	fmt.Fprintf(&out, "Read its rules: cairn get %s\n", safetext.Word(r.Space+":"+r.Page))
	if r.Dossier != "" {
		fmt.Fprintf(&out, "Read what the last run left: cairn get %s\n", safetext.Word(r.Space+":"+r.Dossier))
	}
	fmt.Fprintf(&out, "Do what the rules say. Then note it: cairn routine done %s \"what came of it\"\n", safetext.Word(r.Name))
	return out.String()
}
