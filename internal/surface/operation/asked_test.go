package operation

import (
	"context"
	"testing"

	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// Whoever runs an operation is known to wait for it, whether it fails or not.
func TestCallsAreCountedWhileTheyRun(t *testing.T) {
	t.Parallel()
	a := apptest.New(t).Open()
	for i, fails := range []bool{false, true} {
		call := Call{do: func(_ context.Context, in *memory.Session) (any, error) {
			if now, ever := in.Asked(); !now || ever != int64(i+1) {
				t.Errorf("call %d: under way %v, %d ever", i, now, ever)
			}
			if fails {
				return nil, misuse{"ref", context.Canceled}
			}
			return nil, nil
		}}
		if _, err := call.Run(t.Context(), opened{a}, memory.Caller{}); (err != nil) != fails {
			t.Error(err)
		}
		if now, _ := a.Asked(); now {
			t.Errorf("call %d is over and counts", i)
		}
	}
}

// opened is a memory that is open.
type opened struct{ a *memory.Session }

func (o opened) Session(context.Context, bool) (*memory.Session, error) { return o.a, nil }
