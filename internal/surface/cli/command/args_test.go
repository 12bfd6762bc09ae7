package command

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestLineRange(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][2]int{"10": {10, 10}, "10:20": {10, 20}, "10:": {10, 0}, ":20": {0, 20}} {
		from, to, err := LineRange(in)
		if got := [2]int{from, to}; err != nil || got != want {
			t.Errorf("LineRange(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"x", "0", "5:3", "1:2:3", "-1:"} {
		if _, _, err := LineRange(in); kb.CodeOf(err) != kb.Usage {
			t.Errorf("LineRange(%q): %v", in, err)
		}
	}
}

func TestPaging(t *testing.T) {
	t.Parallel()
	for g, want := range map[Paging]string{
		{1, 0}: "", {10, 20}: "",
		{0, 3}:   "invalid --limit 0: must be at least 1",
		{10, -1}: "invalid --offset -1: must not be negative",
	} {
		got := ""
		if err := g.Check(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v: %q, want %q", g, got, want)
		}
	}
}
