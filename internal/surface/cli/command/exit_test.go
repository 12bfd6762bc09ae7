package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	stopped, stop := context.WithCancel(ctx)
	stop()
	for _, tc := range []struct {
		ctx  context.Context
		err  error
		want int
	}{
		{ctx, nil, 0},
		{ctx, errors.New("no code"), 1},
		{ctx, kb.Errorf(kb.Internal, "x"), 1},
		{ctx, kb.Errorf(kb.Usage, "x"), 2},
		{ctx, kb.Errorf(kb.Ambiguous, "x"), 2},
		{ctx, kb.Errorf(kb.NotFound, "x"), 3},
		{ctx, kb.Errorf(kb.Conflict, "x"), 4},
		{ctx, kb.Errorf(kb.Invalid, "x"), 5},
		{ctx, kb.Errorf(kb.Refused, "x"), 6},
		{ctx, kb.Errorf(kb.Secret, "x"), 6},
		{ctx, kb.Errorf(kb.Damaged, "x"), 7},
		{ctx, fmt.Errorf("wrapped: %w", kb.Errorf(kb.NotFound, "x")), 3},
		{ctx, errors.Join(ErrNoMatch), 3},
		{ctx, ErrProblems, 1},
		{stopped, context.Canceled, 130},
		{stopped, kb.Errorf(kb.Internal, "reading: %w", context.Canceled), 130},
		{stopped, kb.Errorf(kb.NotFound, "x"), 3},
		{ctx, context.Canceled, 1},
	} {
		if got := ExitCode(tc.ctx, tc.err); got != tc.want {
			t.Errorf("ExitCode(%v) = %d, want %d", tc.err, got, tc.want)
		}
	}
}

func TestStoppedWorkSaysHowItGoesOn(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	failed := kb.Errorf(kb.NotFound, "x")
	if err := GoesOn(ctx, failed, "again"); err != failed {
		t.Errorf("%v", err)
	}
	stop(Stopped{Signal: 15})
	err := GoesOn(ctx, context.Cause(ctx), "again")
	if code := ExitCode(ctx, err); code != 143 {
		t.Errorf("exit code %d", code)
	}
	var errout strings.Builder
	p := &Program{Env: Env{Stderr: &errout}}
	if p.ReportError(ctx, err); errout.String() != "error: stopped\nhint: again\n" {
		t.Errorf("%q", errout.String())
	}
}
