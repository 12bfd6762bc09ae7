package importer

import (
	"strconv"
	"testing"
)

// An export of any size is read a few times only.
func TestGroupsOfManyRows(t *testing.T) {
	t.Parallel()
	for total, want := range map[int]int{0: 1, 25_000: 3, 100_000: 10, 1_000_000: 10} {
		r := newRows()
		for i := range total {
			r.count(strconv.Itoa(i / 10))
		}
		groups, next := 0, int32(0)
		for g := range r.groups() {
			if g.from != next {
				t.Errorf("%d rows: group %d begins at the page %d, not %d", total, groups, g.from, next)
			}
			groups, next = groups+1, g.to
		}
		if groups != want || int(next) != total/10 {
			t.Errorf("%d rows in %d groups of %d pages", total, groups, next)
		}
	}
}
