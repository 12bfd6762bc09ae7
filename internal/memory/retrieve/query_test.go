package retrieve

import (
	"github.com/cairn-kb/cairn/internal/api"
	"slices"
	"testing"
)

func TestFill(t *testing.T) {
	t.Parallel()
	page := func(summary, section, full int) levels {
		return levels{{text: "a", tokens: summary}, {text: "b", tokens: section}, {text: "c", tokens: full}}
	}
	pages := []levels{page(10, 50, 200), page(10, 60, 100), page(10, 20, 30)}
	for _, tc := range []struct {
		name   string
		depth  api.Depth
		budget int
		want   []int
	}{
		{"nothing fits", api.DepthAuto, 5, []int{-1, -1, -1}},
		{"summaries first", api.DepthAuto, 30, []int{0, 0, 0}},
		{"then the best passage", api.DepthAuto, 70, []int{1, 0, 0}},
		{"a later passage where an earlier one is too long", api.DepthAuto, 81, []int{1, 0, 1}},
		{"then the truth", api.DepthAuto, 310, []int{2, 1, 2}},
		{"everything", api.DepthAuto, 1000, []int{2, 2, 2}},
		{"only summaries", api.DepthSummary, 1000, []int{0, 0, 0}},
		{"truths, in rank order", api.DepthFull, 330, []int{2, 2, 2}},
		{"what fits of the truths", api.DepthFull, 140, []int{1, 1, 2}},
		{"what fits of the passages", api.DepthSection, 75, []int{1, 0, 0}},
		{"nothing of the last", api.DepthSection, 61, []int{1, 0, -1}},
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

// The passage that answers is served also where it is shorter than the summary.
func TestFillShortPassage(t *testing.T) {
	t.Parallel()
	pages := []levels{{{text: "a", tokens: 60}, {text: "b", tokens: 10}, {text: "c", tokens: 300}}}
	for depth, want := range map[api.Depth]int{api.DepthAuto: 1, api.DepthSection: 1, api.DepthSummary: 0, api.DepthFull: 1} {
		if got := fill(pages, depth, 100); got[0] != want {
			t.Errorf("%s: level %d, want %d", depth, got[0], want)
		}
	}
	if got := fill(pages, api.DepthAuto, 20); got[0] != 1 {
		t.Errorf("without room for the summary: level %d", got[0])
	}
}
