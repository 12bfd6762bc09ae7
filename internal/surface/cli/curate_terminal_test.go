package cli_test

import (
	"strings"
	"testing"
)

// A terminal shows what becomes of pages, and asks; without a yes nothing changes.
func TestCurateAsksBeforeItMerges(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, answer string
		code         int
		merged       bool
	}{
		{"yes", "y", 0, true},
		{"no", "n", 0, false},
		{"no answer", "", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u := newUser(t)
			do := func(code int, args ...string) (out, errout string) {
				t.Helper()
				out, errout, got := u.run(t.Context(), args...)
				if got != code {
					t.Fatalf("%q: exit code %d, not %d: %s", args, got, code, errout)
				}
				return out, errout
			}
			do(0, "space", "add", "--database", "--name", "k")
			do(0, "put", "one", "# One\n\nWhat one says.\n")
			do(0, "put", "two", "# Two\n\nWhat two says.\n")
			u.env.Stdin = answers(tc.answer)
			_, errout := do(tc.code, "curate", "merge", "one", "two")
			if !strings.Contains(errout, "What one says.") || !strings.Contains(errout, "? [y/N]") {
				t.Errorf("asked: %s", errout)
			}
			u.env.Stdin = strings.NewReader("")
			out, _ := do(0, "get", "two", "--format", "human")
			if got := strings.Contains(out, "What one says."); got != tc.merged {
				t.Errorf("merged is %t, want %t:\n%s", got, tc.merged, out)
			}
		})
	}
}
