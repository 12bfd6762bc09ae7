package compact

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"
)

// program is an author that runs as a local program.
type program struct {
	words []string
	wait  time.Duration
}

// grace is how long a killed program's output pipes are kept open.
const grace = time.Second

// Write implements Author. Standard error is discarded: it may quote the pages.
func (p program) Write(ctx context.Context, asked Asked) (Answer, error) {
	pages, err := asked.request()
	if err != nil {
		return Answer{}, err
	}
	within, cancel := context.WithTimeout(ctx, p.wait)
	defer cancel()
	run := exec.CommandContext(within, p.words[0], p.words[1:]...)
	run.Stdin = strings.NewReader(instructions + "\n\n" + pages + "\n")
	run.WaitDelay = grace
	out := &capped{stop: cancel}
	run.Stdout = out
	err = run.Run()
	if out.flooded {
		err = errFlood
	}
	if why := explain(ctx, within, p.wait, err); why != nil {
		return Answer{}, why
	}
	exit := (*exec.ExitError)(nil)
	switch {
	case errors.As(err, &exit):
		return Answer{}, failed("ended with exit code %d", exit.ExitCode())
	case err != nil:
		return Answer{}, failed("cannot be started")
	}
	return read(out.kept.Bytes())
}

// capped keeps output up to a limit.
type capped struct {
	kept    bytes.Buffer
	stop    context.CancelFunc
	flooded bool
}

func (c *capped) Write(p []byte) (int, error) {
	if c.kept.Len()+len(p) > maxAnswer {
		c.flooded = true
		c.stop()
		return 0, errFlood
	}
	return c.kept.Write(p)
}
