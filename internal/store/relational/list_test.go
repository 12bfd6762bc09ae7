package relational

import (
	"slices"
	"testing"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int64{"": nil, "7": {7}, "12,3,9223372036854775807": {12, 3, 1<<63 - 1}} {
		if got := numbers(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v", text, got)
		}
	}
}
