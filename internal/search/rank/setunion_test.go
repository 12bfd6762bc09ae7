package rank

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSetUnion(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lists []List
		want  []Fused
	}{
		"the first keeps its order": {
			[]List{{Items: scored(5, 2, 3, 1)}, {Items: scored(7, 90, 3, 80)}},
			[]Fused{
				{5, 1, []Vote{{0, 1, 2, 1, 0}}},
				{3, 1.0 / 2, []Vote{{0, 2, 1, 1.0 / 2, 0}, {1, 2, 80, 0, 0}}},
				{7, 1.0 / 3, []Vote{{1, 1, 90, 1.0 / 3, 0}}},
			},
		},
		"loose ones are the last": {
			[]List{{Items: scored(1, 9), Loose: true}, {Items: scored(2, 1)}, {Items: scored(1, 1)}},
			[]Fused{
				{2, 1, []Vote{{1, 1, 1, 1, 0}}},
				{1, 1.0 / 2, []Vote{{0, 1, 9, 0, 0}, {2, 1, 1, 1.0 / 2, 0}}},
			},
		},
		"loose ones alone": {
			[]List{{Items: scored(1, 9), Loose: true}},
			[]Fused{{1, 1, []Vote{{0, 1, 9, 1, 0}}}},
		},
	} {
		if diff := cmp.Diff(tt.want, SetUnion(tt.lists...), near); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
