package turn_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/cairn-kb/cairn/internal/memory/turn"
)

// Large documents are worked on one at a time; others, and the work within a turn, wait for
// nobody, and readers not for long.
func TestLargeDocumentsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	const large = 60 << 20
	mine, over, err := turn.Alone(t.Context(), nil, large)
	if err != nil {
		t.Fatal(err)
	}
	for what, ctx := range map[string]context.Context{"of the turn": mine, "of another": t.Context()} {
		size := int64(1 << 20)
		if ctx == mine {
			size = large
		}
		_, end, err := turn.Alone(ctx, nil, size)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		end()
	}
	gone := errors.New("gone")
	left, leave := context.WithCancelCause(t.Context())
	leave(gone)
	if _, _, err := turn.Alone(left, nil, large); !errors.Is(err, gone) {
		t.Errorf("a caller that went away: %v", err)
	}
	if _, _, err := turn.Soon(left, nil, large); !errors.Is(err, gone) {
		t.Errorf("a reader that went away: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, end, err := turn.Soon(t.Context(), nil, large) // as long as the turn is another's
		if err != nil {
			t.Fatalf("a reader: %v", err)
		}
		if err := turn.Check(ctx, large); err != nil {
			t.Errorf("a reader without the turn: %v", err)
		}
		end()
	})
	next := make(chan error)
	go func() {
		_, end, err := turn.Alone(t.Context(), nil, large)
		if err == nil {
			end()
		}
		next <- err
	}()
	if err := turn.Check(mine, large); err != nil {
		t.Errorf("within a turn: %v", err)
	}
	over()
	over() // as a caller with a deferred call does
	if err := <-next; err != nil {
		t.Error(err)
	}
	if turn.Check(mine, large) == nil {
		t.Error("a turn that is over lets more large documents be read")
	}
	calls := 0
	err = turn.In(t.Context(), nil, func(ctx context.Context) error {
		calls++
		return turn.Check(ctx, large)
	})
	if err != nil || calls != 2 {
		t.Errorf("%d calls, %v", calls, err)
	}
	err = turn.In(t.Context(), nil, func(ctx context.Context) error {
		if err := turn.Check(ctx, large); err != nil {
			return err
		}
		turn.End(ctx)
		if err := turn.Check(ctx, large); err == nil {
			t.Error("a turn that ended lets more large documents be read")
		}
		_, end, err := turn.Alone(t.Context(), nil, large) // others need not wait until the end
		if err == nil {
			end()
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	turn.End(t.Context()) // of nobody
	calls = 0
	err = turn.Reading(t.Context(), nil, func(ctx context.Context) error {
		calls++
		return turn.Check(ctx, large)
	})
	if err != nil || calls != 2 {
		t.Errorf("%d calls of a reader, %v", calls, err)
	}
}
