package write_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/cairn-kb/cairn/internal/memory/write"
)

// Large documents are worked on one at a time; others, and the work within a turn, wait for
// nobody, and readers not for long.
func TestLargeDocumentsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	const large = 60 << 20
	mine, over, err := write.Alone(t.Context(), nil, large)
	if err != nil {
		t.Fatal(err)
	}
	for what, ctx := range map[string]context.Context{"of the turn": mine, "of another": t.Context()} {
		size := int64(1 << 20)
		if ctx == mine {
			size = large
		}
		_, end, err := write.Alone(ctx, nil, size)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		end()
	}
	gone := errors.New("gone")
	left, leave := context.WithCancelCause(t.Context())
	leave(gone)
	if _, _, err := write.Alone(left, nil, large); !errors.Is(err, gone) {
		t.Errorf("a caller that went away: %v", err)
	}
	if _, err := write.Soon(left, nil, large); !errors.Is(err, gone) {
		t.Errorf("a reader that went away: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		end, err := write.Soon(t.Context(), nil, large) // as long as the turn is another's
		if err != nil {
			t.Fatalf("a reader: %v", err)
		}
		end()
	})
	next := make(chan error)
	go func() {
		_, end, err := write.Alone(t.Context(), nil, large)
		if err == nil {
			end()
		}
		next <- err
	}()
	over()
	over() // as a caller with a deferred call does
	if err := <-next; err != nil {
		t.Error(err)
	}
	if err := write.Check(mine, large); err != nil {
		t.Errorf("within a turn: %v", err)
	}
	calls := 0
	err = write.InTurn(t.Context(), nil, func(ctx context.Context) error {
		calls++
		return write.Check(ctx, large)
	})
	if err != nil || calls != 2 {
		t.Errorf("%d calls, %v", calls, err)
	}
	err = write.InTurn(t.Context(), nil, func(ctx context.Context) error {
		if err := write.Check(ctx, large); err != nil {
			return err
		}
		write.EndTurn(ctx)
		_, end, err := write.Alone(t.Context(), nil, large) // others need not wait until the end
		if err == nil {
			end()
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	write.EndTurn(t.Context()) // of nobody
	req := write.Request{Changes: []write.Change{{Size: 3}, {Action: write.Put{Bytes: []byte("four")}}}}
	if got := req.Size(); got != 4 {
		t.Errorf("size %d of a request, want 4", got)
	}
}
