package app

import (
	"slices"
	"strings"
	"testing"
)

func TestFill(t *testing.T) {
	page := func(summary, section, full int) levels {
		return levels{{"a", summary}, {"b", section}, {"c", full}}
	}
	pages := []levels{page(10, 50, 200), page(10, 60, 100), page(10, 20, 30)}
	for _, tc := range []struct {
		name   string
		depth  Depth
		budget int
		want   []int
	}{
		{"nothing fits", DepthAuto, 5, []int{-1, -1, -1}},
		{"summaries first", DepthAuto, 30, []int{0, 0, 0}},
		{"then the best passage", DepthAuto, 70, []int{1, 0, 0}},
		{"a later passage where an earlier one is too long", DepthAuto, 81, []int{1, 0, 1}},
		{"then the truth", DepthAuto, 310, []int{2, 1, 2}},
		{"everything", DepthAuto, 1000, []int{2, 2, 2}},
		{"only summaries", DepthSummary, 1000, []int{0, 0, 0}},
		{"truths, in rank order", DepthFull, 330, []int{2, 2, 2}},
		{"what fits of the truths", DepthFull, 140, []int{1, 1, 2}},
		{"what fits of the passages", DepthSection, 75, []int{1, 0, 0}},
		{"nothing of the last", DepthSection, 61, []int{1, 0, -1}},
	} {
		got := fill(pages, tc.depth, tc.budget)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
		sum := 0
		for i, c := range got {
			if c >= 0 {
				sum += pages[i][c].tokens
			}
		}
		if sum > tc.budget {
			t.Errorf("%s: %d tokens of a budget of %d", tc.name, sum, tc.budget)
		}
	}
}

// A short passage is served with its neighbours, up to a blank line and no
// more than passageBytes.
func TestWiden(t *testing.T) {
	long := strings.Repeat("x", passageBytes)
	for _, tc := range []struct {
		name, text string
		lines      [2]int
		want       [2]int
	}{
		{"items around", "# H\n\n- a\n- b\n- c\n\nend\n", [2]int{4, 4}, [2]int{3, 5}},
		{"nothing around", "a\n\nb\n\nc", [2]int{3, 3}, [2]int{3, 3}},
		{"first and last line", "a\nb", [2]int{1, 1}, [2]int{1, 2}},
		{"too long a neighbour", "a\n" + long + "\nb\nc", [2]int{3, 3}, [2]int{3, 4}},
		{"long already", long + "\nb", [2]int{1, 1}, [2]int{1, 1}},
		{"no such lines", "a", [2]int{2, 3}, [2]int{2, 3}},
		{"no lines", "a", [2]int{}, [2]int{}},
	} {
		if got := widen([]byte(tc.text), tc.lines); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
