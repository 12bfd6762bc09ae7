package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestNegativesLast(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"space set k -3":             "space set k -- -3",
		"space set k -3 --space m":   "space set k --space m -- -3",
		"x -1.5 -2 y":                "x -- -1.5 -2 y",
		"was -5 degrees --json":      "was -5 degrees --json", // in this order or not at all
		"was -5 --space m degrees":   "was -5 --space m degrees",
		"space set k -3 -- x":        "space set k -- -3 x",
		"search -n -3":               "search -n -3", // the value of a flag
		"search --limit=-3 words -q": "search --limit=-3 words -q",
		"search a -- -3":             "search a -- -3",
		"list":                       "list",
		"-3":                         "-3",
	} {
		if got := negativesLast(strings.Fields(args)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", args, got, want)
		}
	}
}
