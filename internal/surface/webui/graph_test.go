package webui

import (
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/surface/webui/layout"
)

// Maps that are kept have the positions that they would have if they were computed again, and
// only some are kept.
func TestLayoutsAreKept(t *testing.T) {
	t.Parallel()
	var all layouts
	ring := func(n int) (edges []layout.Edge) {
		for i := range n {
			edges = append(edges, layout.Edge{From: i, To: (i + 1) % n})
		}
		return edges
	}
	for _, n := range []int{3, 4, 5, 3, 6, 7, 8, 3, 4} {
		got, want := all.of(n, ring(n)), layout.Compute(n, ring(n), layout.Rounds(n))
		if !slices.Equal(got, want) {
			t.Errorf("%d pages are at %v, want %v", n, got, want)
		}
	}
	again := all.of(4, ring(4))
	if other := all.of(4, ring(4)); &again[0] != &other[0] {
		t.Error("a map is computed again")
	}
	if other := all.of(4, ring(4)[1:]); slices.Equal(again, other) {
		t.Error("a map with other links has the same positions")
	}
	if len(all.kept) != layoutsKept {
		t.Errorf("%d maps are kept", len(all.kept))
	}
}
