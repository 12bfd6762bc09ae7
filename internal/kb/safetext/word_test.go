package safetext

import "testing"

func TestWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":            "''",
		"notes/a.md":  "notes/a.md",
		"é-1":         "é-1",
		"two words":   "'two words'",
		"it's":        `'it'\''s'`,
		"$(rm x)|`y`": "'$(rm x)|`y`'",
	} {
		if got := Word(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"a\nrm -rf /", "\x1b]0;x\agh"} {
		if got := Word(text); got != Line(got) {
			t.Errorf("%q: %q is not on one line", text, got)
		}
	}
}
