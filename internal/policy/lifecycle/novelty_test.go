package lifecycle

import (
	"math"
	"testing"
)

func TestSharedWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want float64
	}{
		{"", "", 0},
		{"", "one", 0},
		{"One two", "two\tONE\n", 1},
		{"one two three", "one two four", 0.5},
		{"one one one", "one", 1},
		{"two.", "two", 0}, // only blanks part words
	} {
		if got := SharedWords(tc.a, tc.b); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%q and %q: %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}
