package fsys

import (
	"testing"
	"time"
)

func TestLockPoll(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]time.Duration{
		0:                     lockPollMin,
		time.Microsecond:      lockPollMin,
		4 * time.Millisecond:  4 * time.Millisecond,
		25 * time.Millisecond: LockPoll,
		time.Second:           LockPoll,
		5 * time.Second:       5 * time.Millisecond,
		10 * time.Second:      2500 * time.Microsecond,
		time.Hour:             lockPollMin,
	} {
		if got := lockPoll(waited); got != want {
			t.Errorf("after %v it waits %v, want %v", waited, got, want)
		}
	}
}
