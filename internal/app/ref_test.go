package app

import "testing"

func TestEdits(t *testing.T) {
	for _, tc := range []struct {
		a, b        string
		limit, want int
	}{
		{"", "", 3, 0}, {"log", "log", 1, 0}, {"lgo", "log", 1, 1}, {"tst", "test", 1, 1}, {"kitten", "sitting", 5, 3},
		{"abc", "xyz", 1, 2}, {"a", "abcdef", 2, 3}, {"ab", "ba", 2, 1}, {"", "abc", 3, 3},
	} {
		if got := edits(tc.a, tc.b, tc.limit); got != tc.want {
			t.Errorf("edits(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}
