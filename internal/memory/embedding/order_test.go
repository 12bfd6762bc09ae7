package embedding

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/store"
)

func TestInOrder(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pages          []store.StalePage
		rows           []int64
		wanted, pinned []int64
	}{
		"none":                     {rows: []int64{}},
		"short ones first":         {pages: []store.StalePage{{Row: 1, Bytes: 90_000}, {Row: 2, Bytes: 4_000}, {Row: 3, Bytes: 80}}, rows: []int64{3, 2, 1}},
		"about one size by row":    {pages: []store.StalePage{{Row: 1, Bytes: 1_900}, {Row: 2, Bytes: 1_100}, {Row: 3, Bytes: 1_500}}, rows: []int64{1, 2, 3}},
		"empty pages first of all": {pages: []store.StalePage{{Row: 1, Bytes: 1}, {Row: 2, Bytes: 0}}, rows: []int64{2, 1}},
		"the longest is the last":  {pages: []store.StalePage{{Row: 7, Bytes: 1 << 40}, {Row: 8, Bytes: 300}, {Row: 9, Bytes: 200}}, rows: []int64{9, 8, 7}},
		"what somebody cares for": {
			pages: []store.StalePage{{Row: 1, Bytes: 90}, {Row: 2, Bytes: 500, Changed: true}, {Row: 3, Bytes: 80, Changed: true},
				{Row: 4, Bytes: 9_000}, {Row: 5, Bytes: 100}, {Row: 6, Bytes: 70_000}, {Row: 7, Bytes: 10}},
			rows: []int64{6, 2, 5, 4, 3, 7, 1}, wanted: []int64{6, 99, 2}, pinned: []int64{4, 2, 5, 100},
		},
	} {
		rows, bytes, sum := inOrder(tt.pages, tt.wanted, tt.pinned)
		if diff := cmp.Diff(tt.rows, rows); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, p := range tt.pages {
			if sum -= p.Bytes; bytes[p.Row] != p.Bytes {
				t.Errorf("%s: page %d has %d bytes", name, p.Row, bytes[p.Row])
			}
		}
		if sum != 0 {
			t.Errorf("%s: the sum is %d too much", name, sum)
		}
	}
}

func TestWant(t *testing.T) {
	t.Parallel()
	var s State
	s.Want([]int64{1, 2, 3})
	s.Want([]int64{4, 2})
	if diff := cmp.Diff([]int64{4, 2, 1, 3}, s.wants()); diff != "" {
		t.Error(diff)
	}
	for row := range int64(2 * maxWanted) {
		s.Want([]int64{row})
	}
	if got := s.wants(); len(got) != maxWanted || got[0] != 2*maxWanted-1 {
		t.Errorf("%d pages are wanted, the first %d", len(got), got[0])
	}
}
