package brief

import (
	"strings"
	"testing"
)

func TestChangedLines(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ before, after, want string }{
		{"# A\n\nOld.\n", "# A\n\nOld.\n", ""},
		{"# A\n\nOld.\n", "# A\n\nNew price. More of it.\n", "added: New price."},
		{"# A\n\nOld.\nGone.\n", "# A\n\nOld.\n", "removed: Gone."},
		{"# A\n\nOld.\nGone.\nToo.\n", "# A\n\n", "removed: Old. (and 2 more lines)"},
		{"# A\n", "# A\n\n---\n\n- **2026-11-22** — Stopped\n- x\n", "added: **2026-11-22** — Stopped (and 1 more line)"},
		{"a\na\n", "a\na\na\n", "added: a"},
		{"", "token: ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a\n", "added: token: " + strings.Repeat("x", 40)},
	} {
		if got := changedLines(tc.before, tc.after); got != tc.want {
			t.Errorf("%q to %q: %q, want %q", tc.before, tc.after, got, tc.want)
		}
	}
}
