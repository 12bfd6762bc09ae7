package terminal

import "testing"

func TestCount(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"1 page": Count(1, "page"), "0 pages": Count(0, "page"), "2 entries": Count(2, "entry"), "3 days": Count(3, "day"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
