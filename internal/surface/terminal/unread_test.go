package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

func TestAWriteIsGivenUpOnce(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe() // nobody reads it
	defer r.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.Canceled)
	waits := 0
	after := func(time.Duration) <-chan time.Time {
		waits++
		now := make(chan time.Time, 1)
		now <- time.Time{}
		return now
	}
	u := Stoppable(ctx, w, after)
	for range 3 {
		if _, err := u.Write([]byte("x")); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	if waits != 1 {
		t.Errorf("it waited %d times", waits)
	}
}

// What somebody reads is read to its end, also when the command is told to end.
func TestAWriteThatIsReadIsDone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var b bytes.Buffer
	never := func(time.Duration) <-chan time.Time { return nil }
	if n, err := Stoppable(ctx, &b, never).Write([]byte("stone")); n != 5 || err != nil || b.String() != "stone" {
		t.Errorf("%d, %v, %q", n, err, b.String())
	}
}
