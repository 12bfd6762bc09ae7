package memory

import "testing"

func TestIdle(t *testing.T) {
	t.Parallel()
	var q idle
	for i, step := range []struct {
		allocated uint64 // since the look before
		rest      bool
	}{
		{10 << 20, false}, // it started
		{1 << 10, true},
		{1 << 10, false}, // once is enough
		{0, false},
		{2 << 20, false}, // a question
		{idleBytes, false},
		{idleBytes - 1, true},
	} {
		if got := q.look(q.seen + step.allocated); got != step.rest {
			t.Errorf("look %d: %t", i, got)
		}
	}
}
