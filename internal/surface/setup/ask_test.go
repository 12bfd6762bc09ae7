package setup_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/surface/setup"
)

func TestAsk(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	for _, tc := range []struct {
		command []string
		limit   time.Duration
		want    string
		fails   bool
	}{
		{[]string{"sh", "-c", "echo one; echo two >&2"}, time.Minute, "one\ntwo\n", false},
		{[]string{"sh", "-c", "echo inactive; exit 3"}, time.Minute, "inactive\n", true},
		{[]string{"sh", "-c", "cat"}, time.Minute, "", false}, // there is nothing to read
		{[]string{"sh", "-c", "exec sleep 60"}, 50 * time.Millisecond, "", true},
	} {
		got, err := setup.Ask(t.Context(), tc.limit, tc.command...)
		if got != tc.want || (err != nil) != tc.fails {
			t.Errorf("%q: %q, %v", tc.command, got, err)
		}
	}
	for _, command := range [][]string{nil, {"cairn-has-no-such-program"}} {
		if _, err := setup.Ask(t.Context(), time.Minute, command...); !errors.Is(err, setup.ErrAbsent) {
			t.Errorf("%q: %v", command, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := setup.Ask(ctx, time.Minute, "sh", "-c", "true"); err == nil {
		t.Error("it ran for somebody who had given up")
	}
}
